import type { Button, FakeChat, FakeMessage } from './chats.js'
import type { Entity } from './parse-html.js'
import { escaped, richHtml, shown } from './rich-html.js'
import type { FakeState } from './state.js'

const TAGS: Readonly<Record<string, string>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  spoiler: 'mark',
}

/** A chat as a phone shows it, in plain HTML and forms: it works without scripts. */
export function chatPage(state: FakeState, chat: FakeChat): string {
  const draft = state.draftOf(chat)
  const last = state.presses.findLast(press => press.chat === chat.id && press.answer?.text)
  const toast = last?.answer && state.now - last.answer.at < 4000 ? last.answer.text : null
  const bubbles = chat.messages.filter(({ isDeleted }) => !isDeleted).map(message => bubble(state, chat, message))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="2"><title>${escaped(chat.title)} – demo chat</title><style>${STYLE}</style></head>
<body><header><b>${escaped(state.bot.first_name)}</b><span>bot · demo, nothing leaves this machine</span></header>
<main><div class="chat">${bubbles.join('\n')}
${draft ? `<article class="in draft"><div class="${draft.rich ? 'rich' : 'text'}">${draft.rich ? richHtml(draft.text) : shown(draft.text) || 'Thinking…'}</div></article>` : ''}
${toast ? `<output role="status">${shown(toast)}</output>` : ''}
</div></main>
<form method="post" action="${act(chat)}"><input name="text" aria-label="Message" placeholder="Message" autocomplete="off" required>
<button>Send</button></form></body></html>`
}

function bubble(state: FakeState, chat: FakeChat, message: FakeMessage): string {
  const isOwn = message.from.id !== state.bot.id
  const replied = chat.messages.find(({ id }) => id === message.replyTo)
  const topic = message.thread === undefined ? null : chat.topics.get(message.thread)?.name
  const time = new Date(message.date).toISOString().slice(11, 16)
  return `<article class="${isOwn ? 'out' : 'in'}">
${topic ? `<small class="topic">${escaped(topic)}</small>` : ''}
${replied ? `<small class="reply">${shown([...replied.text].slice(0, 80).join(''))}</small>` : ''}
${message.document ? `<p class="file">${shown(`📄 ${message.document.name}`)} · ${message.document.bytes.length} bytes</p>` : ''}
<div class="${message.rich === undefined ? 'text' : 'rich'}">${message.rich === undefined ? formatted(message.text, message.entities) : richHtml(message.rich)}</div>
<time>${time}${message.versions.length > 0 ? ' · edited' : ''}</time></article>
${(message.markup?.inline_keyboard ?? []).map(row => keyboardRow(chat, message, row)).join('')}`
}

function keyboardRow(chat: FakeChat, message: FakeMessage, row: readonly Button[]): string {
  const buttons = row.map(({ text, callback_data, url, style }) =>
    callback_data === undefined
      ? `<a href="${escaped(url ?? '')}">${shown(text)} ↗</a>`
      : `<button name="data" value="${escaped(callback_data)}" class="${escaped(style ?? '')}">${shown(text)}</button>`,
  )
  return `<form method="post" class="keys" action="${act(chat)}"><input type="hidden" name="message" value="${message.id}">${buttons.join('')}</form>`
}

/** Relative to the address of the page, which contains the key. */
function act(chat: FakeChat): string {
  return `${chat.id}/act`
}

/** Turns entities back into tags. The server made them, so they are nested properly. */
function formatted(text: string, entities: readonly Entity[]): string {
  let html = ''
  for (let at = 0; at <= text.length; at++) {
    for (const entity of entities.filter(({ offset, length }) => offset + length === at).reverse())
      html += entity.type === 'text_link' ? '</a>' : `</${TAGS[entity.type] ?? 'span'}>`
    for (const entity of entities.filter(({ offset }) => offset === at))
      html +=
        entity.type === 'text_link' ? `<a href="${escaped(entity.url ?? '')}">` : `<${TAGS[entity.type] ?? 'span'}>`
    if (at >= text.length) break
    // A surrogate pair is one character.
    const char = String.fromCodePoint(text.codePointAt(at)!)
    html += shown(char)
    at += char.length - 1
  }
  // A block element ends its line.
  return html.replaceAll('</pre>\n', '</pre>')
}

const STYLE = `
:root{color-scheme:light dark;--bg:#d9e4ec;--in:#fff;--out:#e3fbd3;--ink:#13202b;--dim:#5b6b78;--key:#ffffffb8;--line:#0001;--accent:#2a6fb0}
@media(prefers-color-scheme:dark){:root{--bg:#0e1621;--in:#182533;--out:#2b5278;--ink:#e9eff4;--dim:#93a5b5;--key:#20303fcc;--line:#fff2;--accent:#6ab3f3}}
*{box-sizing:border-box}body{margin:0;height:100dvh;display:flex;flex-direction:column;background:var(--bg);color:var(--ink);font:15px/1.42 system-ui,sans-serif}
header{padding:10px 16px;background:var(--in);border-bottom:1px solid var(--line);display:flex;flex-direction:column}
header span{color:var(--dim);font-size:13px}main{flex:1;overflow:auto;display:flex;flex-direction:column-reverse}
.chat{padding:12px 12px 4px;display:flex;flex-direction:column;gap:6px;max-width:720px;width:100%;margin:0 auto auto}
article{max-width:86%;padding:7px 11px 5px;border-radius:14px;box-shadow:0 1px 1px var(--line);overflow-wrap:anywhere}
.in{background:var(--in);align-self:flex-start;border-bottom-left-radius:4px}.out{background:var(--out);align-self:flex-end;border-bottom-right-radius:4px}
.draft{opacity:.72;border:1px dashed var(--dim)}.text{white-space:pre-wrap}time{display:block;text-align:right;color:var(--dim);font-size:11px}
.rich p{margin:0 0 6px}.rich p:last-child{margin:0}.wide{overflow:auto;margin:4px 0}table{border-collapse:collapse;font-size:14px}th,td{border:1px solid var(--line);padding:4px 8px;white-space:nowrap}th{background:var(--line)}
.mark{display:inline-block;min-width:1.1em;text-align:center}.good{color:#1d7f3f}.bad{color:#c0392b}.warm{color:#b86a00}.low{color:var(--accent)}.dim{color:var(--dim)}
@media(prefers-color-scheme:dark){.good{color:#6fd08c}.bad{color:#ff8d7e}.warm{color:#ffb74d}}
.reply,.topic{display:block;border-left:3px solid var(--accent);padding-left:7px;color:var(--dim);margin-bottom:4px}
pre,code{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--line);border-radius:6px}pre{padding:8px 10px;margin:4px 0;overflow:auto;white-space:pre}code{padding:1px 4px}
blockquote{margin:4px 0;border-left:3px solid var(--accent);padding:2px 8px}.file{margin:2px 0;font-weight:600}
.keys{display:flex;gap:4px;max-width:86%;width:100%;align-self:flex-start}.keys button,.keys a{flex:1;border:0;border-radius:10px;padding:10px;background:var(--key);color:var(--accent);font:600 14px system-ui;text-align:center;text-decoration:none;cursor:pointer}
.keys .success{color:#1d7f3f}.keys .danger{color:#c0392b}@media(prefers-color-scheme:dark){.keys .success{color:#6fd08c}.keys .danger{color:#ff8d7e}}
body>form{display:flex;gap:8px;padding:10px 12px calc(10px + env(safe-area-inset-bottom));background:var(--in);border-top:1px solid var(--line)}
body>form input{flex:1;border:1px solid var(--line);border-radius:18px;padding:10px 14px;font:inherit;background:var(--bg);color:inherit}
body>form button{border:0;border-radius:18px;padding:0 18px;background:var(--accent);color:#fff;font:600 15px system-ui}@media(prefers-color-scheme:dark){body>form button{color:#0b1620}}
output{position:sticky;bottom:6px;align-self:center;background:#000c;color:#fff;border-radius:16px;padding:6px 14px;font-size:14px}`
