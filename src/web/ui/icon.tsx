/** The page's icons: strokes on a 24 by 24 field, in the colour of the text around them. */
const PATHS = {
  back: "M15 5l-7 7 7 7",
  more: "M5 11.2a.8.8 0 100 1.6.8.8 0 000-1.6M12 11.2a.8.8 0 100 1.6.8.8 0 000-1.6M19 11.2a.8.8 0 100 1.6.8.8 0 000-1.6",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  gear: "M4 7h10M18 7h2M4 17h2M10 17h10M14 7a2 2 0 104 0 2 2 0 10-4 0M6 17a2 2 0 104 0 2 2 0 10-4 0",
  folder: "M3 7a2 2 0 012-2h4l2 2h8a2 2 0 012 2v8a2 2 0 01-2 2H5a2 2 0 01-2-2z",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  link: "M9 15l6-6M8 12l-2 2a4 4 0 006 6l2-2M16 12l2-2a4 4 0 00-6-6l-2 2",
  branch:
    "M6 4v16M6 8a2 2 0 100-4 2 2 0 100 4M6 20a2 2 0 100-4 2 2 0 100 4M18 10a2 2 0 100-4 2 2 0 100 4M18 10c0 4-6 3-11 7",
  terminal: "M4 6l6 6-6 6M12 18h8",
  claude: "M12 3v18M3 12h18M5.6 5.6l12.8 12.8M18.4 5.6L5.6 18.4",
  codex: "M12 3l7.8 4.5v9L12 21l-7.8-4.5v-9zM12 8.5l3 1.75v3.5L12 15.5l-3-1.75v-3.5z",
  check: "M5 13l4 4L19 7",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  shield: "M12 3l8 3v6c0 5-3.5 8-8 9-4.500-1-8-4-8-9V6z",
  phone: "M8 3h8a1 1 0 011 1v16a1 1 0 01-1 1H8a1 1 0 01-1-1V4a1 1 0 011-1zM11 18h2",
  laptop: "M5 6h14v9H5zM3 19h18",
  clock: "M12 3a9 9 0 100 18 9 9 0 000-18M12 7v5l3 2",
  bulb: "M9 18h6M10 21h4M8 14a6 6 0 118 0c-.7.600-1 1.200-1 2H9c0-.8-.3-1.400-1-2",
  wrench: "M14 7a4 4 0 015-4l-2.500 2.500.500 2 2 .500L21.500 5.500A4 4 0 0116 10L8 18.500a2 2 0 11-3-3z",
  list: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  copy: "M9 9h10v11H9zM5 15V4h10",
  columns: "M4 5h16v14H4zM12 5v14",
  wrap: "M4 6h16M4 12h13a3 3 0 010 6h-4M15 15l-3 3 3 3M4 18h4",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  search: "M11 4a7 7 0 100 14 7 7 0 000-14M16 16l5 5",
  retry: "M4 12a8 8 0 0114-5l2 2M20 4v5h-5M20 12a8 8 0 01-14 5l-2-2M4 20v-5h5",
  user: "M12 4a4 4 0 100 8 4 4 0 000-8M4 21c1-5 15-5 16 0",
  pen: "M4 20l1-5L16 4l4 4L9 19z",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: what it stands for is said by the text or label beside it. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
