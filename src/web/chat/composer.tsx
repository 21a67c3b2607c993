/** Where one writes: text, pictures, commands after a slash; and where one interrupts. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { type ChatCommand, MAX_ATTACHMENTS } from "../../protocol/rpc.js";
import type { ChatStatus } from "../../protocol/view.js";
import { call, useAction } from "../link/call.js";
import { toSession } from "../routes.js";
import type { TabRef } from "../sessions/session-page.js";
import { S } from "../strings.js";
import { Picture } from "../text/picture.js";
import { IconButton } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { toast } from "../ui/toast.js";
import { CommandPicker, useCommands } from "./command-picker.js";
import type { Outbox, OutgoingPicture } from "./outbox.js";
import { SettingsSheet } from "./settings-chips.js";
import { shrink } from "./shrink.js";

const DRAFT = "nexus.draft.";

interface ComposerProps {
  tab: TabRef;
  status: ChatStatus | undefined;
  outbox: Outbox;
  name: string;
}

export function Composer({ tab, status, outbox, name }: ComposerProps) {
  const [text, setText] = useState(localStorage.getItem(DRAFT + tab.tabId) ?? "");
  const [pictures, setPictures] = useState<OutgoingPicture[]>([]);
  const [settings, setSettings] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const [, go] = useLocation();
  const { run } = useAction();
  const commands = useCommands(tab, text);
  useEffect(() => {
    if (text === "") localStorage.removeItem(DRAFT + tab.tabId);
    else localStorage.setItem(DRAFT + tab.tabId, text);
    const element = field.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text, tab]);
  const runCommand = (command: ChatCommand, args: string): void =>
    run(async () => {
      const { message, tabId } = await call("chat.command", {
        ...tab,
        name: command.name,
        ...(args === "" ? {} : { args }),
      });
      if (message !== undefined) toast(message);
      if (tabId !== undefined) go(toSession(tab.workspaceId, tabId));
    });
  const pick = (command: ChatCommand): void => {
    if (command.runs === "settings") {
      setText("");
      setSettings(true);
    } else if (command.runs === "command" && command.args === undefined) {
      setText("");
      runCommand(command, "");
    } else {
      setText(`/${command.name} `);
      field.current?.focus();
    }
  };
  const send = (): void => {
    if (text.trim() === "" && pictures.length === 0) return;
    const [, word = "", args = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
    const command = commands.all.find((one) => one.name === word);
    if (command !== undefined && command.runs !== "send") {
      setText("");
      if (command.runs === "settings") setSettings(true);
      else runCommand(command, args);
      return;
    }
    outbox.add(text, pictures);
    setText("");
    setPictures([]);
  };
  const addFiles = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      const picture = await shrink(file);
      if (picture === undefined) toast(S.pictureTooBig, "error");
      else {
        setPictures((now) => {
          if (now.length >= MAX_ATTACHMENTS) toast(S.pictureTooMany, "error");
          return [...now, picture].slice(0, MAX_ATTACHMENTS);
        });
      }
    }
  };
  const busy = status?.state === "working" || status?.state === "asking" || status?.state === "starting";
  const empty = text.trim() === "" && pictures.length === 0;
  return (
    <div class="composer-frame">
      {commands.shown.length > 0 && <CommandPicker commands={commands.shown} onPick={pick} />}
      {pictures.length > 0 && (
        <ul class="composer-pictures">
          {pictures.map((picture, index) => (
            <li key={index}>
              <Picture mediaType={picture.mediaType} data={picture.data} alt={S.picture} />
              <IconButton
                icon="close"
                label={S.removePicture}
                onClick={() => setPictures(pictures.filter((_one, at) => at !== index))}
              />
            </li>
          ))}
        </ul>
      )}
      <div class="composer">
        <label class="icon-button" aria-label={S.attach} title={S.attach}>
          <Icon name="image" />
          <input
            type="file"
            accept="image/*"
            multiple
            class="hidden-input"
            onChange={(event) => {
              void addFiles([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
        </label>
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label={S.message}
          placeholder={S.messageHint(name)}
          enterkeyhint="send"
          onInput={(event) => setText(event.currentTarget.value)}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])].filter((file) =>
              file.type.startsWith("image/"),
            );
            if (files.length === 0) return;
            event.preventDefault();
            void addFiles(files);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {busy && empty ? (
          <IconButton
            icon="stop"
            label={S.interrupt}
            extra="send stop"
            onClick={() => run(() => call("chat.interrupt", tab))}
          />
        ) : (
          <IconButton icon="send" label={S.send} extra="send" disabled={empty} onClick={send} />
        )}
      </div>
      {settings && <SettingsSheet tab={tab} onClose={() => setSettings(false)} />}
    </div>
  );
}
