import { basename, join, resolve } from 'node:path'
import { newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { openDownload, type SessionPlaces, type SessionRecord, storeUpload } from '../sessions/index.js'
import { type Asker, type Desk, needRole } from './desk.js'
import type { Intent } from './parse-update.js'
import { escapeHtml } from './split.js'
import type { Words } from './words.js'

type FileIntent = Extract<Intent, { kind: 'file' }>

const MB = 1024 * 1024
/** What the Bot API hands out and takes. */
const UPLOAD_MAX = 20 * MB
const DOWNLOAD_MAX = 50 * MB

/** Files for an agent, and files of its project for people, by the same rules as everywhere. */
export class Files {
  readonly #desk: Desk
  readonly #words: Words

  constructor(desk: Desk, words: Words) {
    this.#desk = desk
    this.#words = words
  }

  /** Stores it and tells the agent; the caption goes in the same message. */
  async upload(intent: FileIntent, to: Asker): Promise<string> {
    needRole(to.person, 'approver')
    const { host, api } = this.#desk
    const record = await this.#desk.need(to)
    if (intent.size > UPLOAD_MAX)
      throw new SignalboxError('E_TOO_LARGE', 'Files of more than 20 MB do not come through a bot.', {
        next: 'Copy it to the machine another way.',
      })
    const { file_path } = await api.call<{ file_path: string }>('getFile', { file_id: intent.fileId })
    const bytes = await api.download(file_path, UPLOAD_MAX)
    const { path, name } = await storeUpload(this.#places(record), { name: intent.name, bytes }, host.settings.files)
    const text = [`The user uploaded a file: ${path}`, intent.caption].filter(Boolean).join('\n')
    if (intent.isForwarded || to.isAgain) {
      await this.#desk.say(to, `Stored as <code>${escapeHtml(name)}</code>. The agent was not told.`, {
        about: record.id,
        isReply: true,
        keys: [
          [{ text: 'Send', press: { do: 'send-text', session: record.id, text, when: 'queue' } }],
          [{ text: 'Discard', press: { do: 'discard' } }],
        ],
      })
      return `stored ${path}, waiting`
    }
    const live = this.#desk.live(record)
    const sent = await this.#words.send(record, text, to, live.approval?.state === 'pending' ? 'hold' : 'queue')
    await this.#desk.say(to, `Stored as <code>${escapeHtml(name)}</code>; the agent is told.`, { about: record.id })
    return `stored ${path}; ${sent}`
  }

  /** Checks, then queues; what is sent is checked again when it is read. */
  async offer(record: SessionRecord, wanted: string, to: Asker): Promise<string> {
    const { handle, path, bytes } = await this.#open(record, wanted)
    await handle.close()
    if (bytes > DOWNLOAD_MAX)
      throw new SignalboxError('E_TOO_LARGE', 'Files of more than 50 MB do not go through a bot.')
    const caption = `${basename(path)} · ${bytes} bytes`
    const act = { do: 'download' as const, path: JSON.stringify({ session: record.id, path: wanted }), caption }
    await this.#desk.outbox.say([{ chat: to.chat, lane: 2, subject: `${record.id}/${newId('tgi')}`, act }])
    return 'It comes as a file.'
  }

  /** For the outbox, when its turn has come. Text is searched for secrets, which do not leave. */
  async read(promised: string): Promise<{ name: string; bytes: Uint8Array; note: string }> {
    const { session, path: wanted } = JSON.parse(promised) as { session: string; path: string }
    const { handle, path } = await this.#open(await this.#desk.host.record(session), wanted)
    try {
      const bytes = await handle.readFile()
      if (bytes.includes(0)) return { name: basename(path), bytes, note: '' }
      const text = bytes.toString('utf8')
      const clean = this.#desk.host.redactor.redact(text)
      if (clean === text) return { name: basename(path), bytes, note: '' }
      return { name: basename(path), bytes: Buffer.from(clean), note: ' · secrets were found and taken out' }
    } finally {
      await handle.close()
    }
  }

  #open(record: SessionRecord, wanted: string) {
    return openDownload(this.#places(record), resolve(record.project, wanted), this.#desk.host.settings.files)
  }

  #places({ id, project }: SessionRecord): SessionPlaces {
    const { settings } = this.#desk.host
    return {
      uploads: join(settings.dataDirectory, 'uploads', id),
      project,
      own: [settings.dataDirectory, settings.runtimeDirectory, join(settings.packDirectory, '..')],
    }
  }
}
