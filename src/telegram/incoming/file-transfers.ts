import { basename, join, relative, resolve } from 'node:path'
import { newId, type Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Block } from '../../screen/index.js'
import { openDownload, type SessionPlaces, type SessionRecord, storeUpload } from '../../sessions/index.js'
import { type Asker, type Desk, needRole } from '../command-services.js'
import { escapeHtml } from '../outgoing/split.js'
import { forwardedWords, type Words } from './incoming-text.js'
import { namedPaths } from './named-paths.js'
import type { Intent } from './parse-update.js'

type FileIntent = Extract<Intent, { kind: 'file' }>

const MB = 1024 * 1024
/** What the Bot API hands out and takes. */
const UPLOAD_MAX = 20 * MB
const DOWNLOAD_MAX = 50 * MB
const MOST_OFFERED = 4
/** Files that follow each other this closely are one message to the agent. */
const TOGETHER_MS = 2000

/** A file that waits to be sent; what an owner said yes to may lie outside of the project. */
interface Promised {
  session: string
  path: string
  isOutside?: boolean
}

/** Files that were stored one after the other, and that the agent hears of in one message. */
interface Stored {
  files: { update: number; name: string; path: string; caption: string }[]
  origin: string | null
  isAgain: boolean
  timer: Timer | null
  told: Promise<string>
  tell(): void
}

/** Files for an agent, and files of its project for people, by the same rules as everywhere. */
export class Files {
  readonly #desk: Desk
  readonly #words: Words
  readonly #stored = new Map<string, Stored>()

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
    const key = `${to.chat} ${record.id} ${intent.isForwarded}`
    const stored = this.#stored.get(key) ?? this.#gather(key, record, to)
    stored.files.push({ update: to.update, name, path, caption: intent.caption })
    if (intent.isForwarded) stored.origin = intent.origin ?? 'somebody'
    stored.isAgain ||= to.isAgain
    stored.timer?.cancel()
    stored.timer = this.#desk.clock.setTimer(TOGETHER_MS, stored.tell)
    return `stored ${path}; ${await stored.told}`
  }

  #gather(key: string, record: SessionRecord, to: Asker): Stored {
    const stored: Stored = {
      files: [],
      origin: null,
      isAgain: false,
      timer: null,
      told: Promise.resolve(''),
      tell: () => undefined,
    }
    stored.told = new Promise((resolve, reject) => {
      stored.tell = () => {
        this.#stored.delete(key)
        this.#tell(stored, record, to).then(resolve, reject)
      }
    })
    this.#stored.set(key, stored)
    return stored
  }

  /** The agent is told of files by their sender's own hand; of passed-on ones, and after a restart, only when somebody says so. */
  async #tell(stored: Stored, record: SessionRecord, to: Asker): Promise<string> {
    const { origin, isAgain } = stored
    // They were fetched side by side: the order is that in which they were sent.
    const files = stored.files.sort((a, b) => a.update - b.update)
    const said = files.map(({ name }) => `<code>${escapeHtml(name)}</code>`).join(', ')
    const captions = files.map(({ caption }) => caption).filter(caption => caption !== '')
    const words = origin === null ? captions : captions.map(caption => forwardedWords(caption, origin))
    const text = [...files.map(({ path }) => `The user uploaded a file: ${path}`), ...words].join('\n')
    if (origin !== null || isAgain) {
      const from = origin === null ? '' : ` Forwarded from ${escapeHtml(origin)}.`
      const them = files.length === 1 ? 'it' : 'them'
      await this.#desk.say(to, `Stored as ${said}.${from} The agent was not told of ${them}.`, {
        about: record.id,
        isReply: true,
        keys: [
          [{ text: 'Send', press: { do: 'send-text', session: record.id, text, when: 'queue' } }],
          [{ text: 'Discard', press: { do: 'discard' } }],
        ],
      })
      return 'waiting'
    }
    const live = this.#desk.live(record)
    const sent = await this.#words.send(record, text, to, live.approval?.state === 'pending' ? 'hold' : 'queue')
    await this.#desk.say(to, `Stored as ${said}; the agent is told.`, { about: record.id })
    return sent
  }

  /** Checks, then queues; what is sent is checked again when it is read. */
  async offer(
    record: SessionRecord,
    wanted: string,
    to: Asker,
    options: { /** The owner was asked and said yes. */ isOutside?: boolean } = {},
  ): Promise<string> {
    const isOutside = options.isOutside === true && to.person.role === 'owner'
    if (!isOutside && to.person.role === 'owner' && (await this.#isOnlyOutside(record, wanted)))
      return this.#askOutside(record, wanted, to)
    const { handle, path, bytes } = await this.#open(record, wanted, isOutside)
    await handle.close()
    if (bytes > DOWNLOAD_MAX)
      throw new SignalboxError('E_TOO_LARGE', 'Files of more than 50 MB do not go through a bot.')
    const caption = `${basename(path)} · ${bytes} bytes`
    const act = {
      do: 'download' as const,
      path: JSON.stringify({ session: record.id, path: wanted, isOutside }),
      caption,
    }
    await this.#desk.outbox.say([{ chat: to.chat, lane: 2, subject: `${record.id}/${newId('tgi')}`, act }])
    return 'It comes as a file.'
  }

  /** For the outbox, when its turn has come. Text is searched for secrets, which do not leave. */
  async read(promised: string): Promise<{ name: string; bytes: Uint8Array; note: string }> {
    const { session, path: wanted, isOutside } = JSON.parse(promised) as Promised
    const { handle, path } = await this.#open(await this.#desk.host.record(session), wanted, isOutside === true)
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

  /** Files that an answer names and that were written since then, as far as they may be handed out. */
  async offered(record: SessionRecord, blocks: readonly Block[], since: number): Promise<string[]> {
    const found: string[] = []
    for (const path of namedPaths(blocks)) {
      const opened = await this.#open(record, path, false).catch(() => null)
      if (!opened) continue
      const { mtimeMs } = await opened.handle.stat()
      await opened.handle.close()
      const shown = relative(record.project, opened.path)
      if (mtimeMs >= since && opened.bytes <= DOWNLOAD_MAX && !found.includes(shown)) found.push(shown)
      if (found.length === MOST_OFFERED) break
    }
    return found
  }

  /** It could be sent if it lay in the project: what holds credentials or belongs to Signalbox is not asked about. */
  async #isOnlyOutside(record: SessionRecord, wanted: string): Promise<boolean> {
    const inside = await this.#open(record, wanted, false).catch(() => null)
    await inside?.handle.close()
    if (inside) return false
    const outside = await this.#open(record, wanted, true).catch(() => null)
    await outside?.handle.close()
    return outside !== null
  }

  async #askOutside(record: SessionRecord, wanted: string, to: Asker): Promise<string> {
    const path = resolve(record.project, wanted)
    await this.#desk.say(to, `<code>${escapeHtml(path)}</code> lies outside of the project. Send it all the same?`, {
      about: record.id,
      isReply: true,
      keys: [
        [{ text: 'Yes, send it', press: { do: 'download', session: record.id, path: wanted, isOutside: true } }],
        [{ text: 'No', press: { do: 'discard' } }],
      ],
    })
    return 'asked'
  }

  #open(record: SessionRecord, wanted: string, isOutside: boolean) {
    const places = this.#places(record)
    const checked = isOutside ? { ...places, project: '/' } : places
    return openDownload(checked, resolve(record.project, wanted), this.#desk.host.settings.files)
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
