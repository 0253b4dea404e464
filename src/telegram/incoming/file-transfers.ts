import { basename, join, relative, resolve } from 'node:path'
import { newId, type Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Block } from '../../screen/index.js'
import { openDownload, type SessionDirectories, type SessionRecord, storeUpload } from '../../sessions/index.js'
import { type CommandServices, type Requester, requireRole } from '../command-services.js'
import { escapeHtml } from '../outgoing/split.js'
import { forwardedText, type IncomingText } from './incoming-text.js'
import { namedPaths } from './named-paths.js'
import type { Intent } from './parse-update.js'

type FileIntent = Extract<Intent, { kind: 'file' }>

const MB = 1024 * 1024
/** Limits of the Bot API. */
const UPLOAD_MAX = 20 * MB
const DOWNLOAD_MAX = 50 * MB
const DOWNLOADS_MAX = 4
/** Files that follow each other this closely are reported to the agent in one message. */
const GATHER_MS = 2000

const UNKNOWN_AUTHOR = 'an unknown author'

/** A file that waits to be sent. One that the owner confirmed may lie outside the project. */
interface DownloadRequest {
  session: string
  path: string
  isOutside?: boolean
}

/** Files that were stored one after the other and are reported to the agent in one message. */
interface PendingUpload {
  files: { update: number; name: string; path: string; caption: string }[]
  origin: string | null
  isRetry: boolean
  /** Files that are under way: none is left behind by a slow one. */
  fetching: number
  timer: Timer | null
  reported: Promise<string>
  report(): void
}

/** Uploads for an agent and downloads from its project, by the same rules as on every surface. */
export class FileTransfers {
  readonly #services: CommandServices
  readonly #texts: IncomingText
  readonly #uploads = new Map<string, PendingUpload>()

  constructor(services: CommandServices, texts: IncomingText) {
    this.#services = services
    this.#texts = texts
  }

  /** Stores the file and reports it to the agent, with its caption. */
  async upload(intent: FileIntent, to: Requester): Promise<string> {
    requireRole(to.person, 'approver')
    const { host, api } = this.#services
    const record = await this.#services.requireSession(to)
    if (intent.size > UPLOAD_MAX)
      throw new SignalboxError('E_TOO_LARGE', 'The file is larger than 20 MB, the limit for uploads to a bot.', {
        next: 'Copy it to the machine in another way.',
      })
    const key = `${to.chat} ${record.id} ${intent.isForwarded}`
    const upload = this.#uploads.get(key) ?? this.#gather(key, record, to)
    upload.timer?.cancel()
    upload.fetching += 1
    let path: string
    try {
      const { file_path } = await api.call<{ file_path: string }>('getFile', { file_id: intent.fileId })
      const bytes = await api.download(file_path, UPLOAD_MAX)
      const stored = await storeUpload(this.#directories(record), { name: intent.name, bytes }, host.settings.files)
      path = stored.path
      upload.files.push({ update: to.update, ...stored, caption: intent.caption })
      if (intent.isForwarded) upload.origin = intent.origin ?? UNKNOWN_AUTHOR
      upload.isRetry ||= to.isRetry
    } finally {
      upload.fetching -= 1
      if (upload.fetching === 0) this.#reportSoon(key, upload)
    }
    return `stored ${path}; ${await upload.reported}`
  }

  #reportSoon(key: string, upload: PendingUpload): void {
    if (upload.files.length === 0) this.#uploads.delete(key)
    else upload.timer = this.#services.clock.setTimer(GATHER_MS, upload.report)
  }

  #gather(key: string, record: SessionRecord, to: Requester): PendingUpload {
    const upload: PendingUpload = {
      files: [],
      origin: null,
      isRetry: false,
      fetching: 0,
      timer: null,
      reported: Promise.resolve(''),
      report: () => undefined,
    }
    upload.reported = new Promise((resolve, reject) => {
      upload.report = () => {
        this.#uploads.delete(key)
        this.#report(upload, record, to).then(resolve, reject)
      }
    })
    this.#uploads.set(key, upload)
    return upload
  }

  /** Forwarded files, and files after a restart, wait for a person's *Send*. */
  async #report(upload: PendingUpload, record: SessionRecord, to: Requester): Promise<string> {
    const { origin, isRetry } = upload
    // They were fetched in parallel: put them in the order in which they were sent.
    const files = upload.files.sort((a, b) => a.update - b.update)
    const names = files.map(({ name }) => `<code>${escapeHtml(name)}</code>`).join(', ')
    const captions = files.map(({ caption }) => caption).filter(caption => caption !== '')
    const texts = origin === null ? captions : captions.map(caption => forwardedText(caption, origin))
    const text = [...files.map(({ path }) => `The user uploaded a file: ${path}`), ...texts].join('\n')
    if (origin !== null || isRetry) {
      const from = origin === null ? '' : ` Forwarded from ${escapeHtml(origin)}.`
      await this.#services.reply(to, `Stored as ${names}.${from} Not reported to the agent yet.`, {
        about: record.id,
        isReply: true,
        buttons: [
          [{ text: 'Send', action: { do: 'send-text', session: record.id, text, when: 'queue' } }],
          [{ text: 'Discard', action: { do: 'discard' } }],
        ],
      })
      return 'waiting'
    }
    const live = await this.#services.requireLive(record)
    const sent = await this.#texts.send(record, text, to, live.approval?.state === 'pending' ? 'hold' : 'queue')
    await this.#services.reply(to, `Stored as ${names} and reported to the agent.`, { about: record.id })
    return sent
  }

  /** Checks the file and queues it; it is checked again when it is read. */
  async sendFile(
    record: SessionRecord,
    wanted: string,
    to: Requester,
    options: { /** The owner confirmed it. */ isOutside?: boolean } = {},
  ): Promise<string> {
    const isOutside = options.isOutside === true && to.person.role === 'owner'
    if (!isOutside && to.person.role === 'owner' && (await this.#isOnlyOutside(record, wanted)))
      return this.#askOutside(record, wanted, to)
    const { handle, path, bytes } = await this.#open(record, wanted, isOutside)
    await handle.close()
    if (bytes > DOWNLOAD_MAX)
      throw new SignalboxError('E_TOO_LARGE', 'The file is larger than 50 MB, the limit for downloads from a bot.')
    const caption = `${basename(path)} · ${bytes} bytes`
    const act = {
      do: 'download' as const,
      path: JSON.stringify({ session: record.id, path: wanted, isOutside }),
      caption,
    }
    await this.#services.outbox.enqueue([{ chat: to.chat, lane: 2, subject: `${record.id}/${newId('tgi')}`, act }])
    return 'Sending the file…'
  }

  /** Reads the file when the outbox sends it. Secrets in a text are removed. */
  async read(request: string): Promise<{ name: string; bytes: Uint8Array; note: string }> {
    const { session, path: wanted, isOutside } = JSON.parse(request) as DownloadRequest
    const { handle, path } = await this.#open(await this.#services.host.record(session), wanted, isOutside === true)
    try {
      const bytes = await handle.readFile()
      if (bytes.includes(0)) return { name: basename(path), bytes, note: '' }
      const text = bytes.toString('utf8')
      const clean = this.#services.host.redactor.redact(text)
      if (clean === text) return { name: basename(path), bytes, note: '' }
      return { name: basename(path), bytes: Buffer.from(clean), note: ' · secrets were removed' }
    } finally {
      await handle.close()
    }
  }

  /** Files that an answer names, that were written since then, and that may be sent. */
  async downloadable(record: SessionRecord, blocks: readonly Block[], since: number): Promise<string[]> {
    const found: string[] = []
    for (const path of namedPaths(blocks)) {
      const opened = await this.#open(record, path, false).catch(() => null)
      if (!opened) continue
      const { mtimeMs } = await opened.handle.stat()
      await opened.handle.close()
      const shown = relative(record.project, opened.path)
      if (mtimeMs >= since && opened.bytes <= DOWNLOAD_MAX && !found.includes(shown)) found.push(shown)
      if (found.length === DOWNLOADS_MAX) break
    }
    return found
  }

  /** Whether only its path outside the project forbids the file, not its content. */
  async #isOnlyOutside(record: SessionRecord, wanted: string): Promise<boolean> {
    const inside = await this.#open(record, wanted, false).catch(() => null)
    await inside?.handle.close()
    if (inside) return false
    const outside = await this.#open(record, wanted, true).catch(() => null)
    await outside?.handle.close()
    return outside !== null
  }

  async #askOutside(record: SessionRecord, wanted: string, to: Requester): Promise<string> {
    const path = resolve(record.project, wanted)
    await this.#services.reply(to, `<code>${escapeHtml(path)}</code> lies outside the project. Send it anyway?`, {
      about: record.id,
      isReply: true,
      buttons: [
        [{ text: 'Yes, send it', action: { do: 'download', session: record.id, path: wanted, isOutside: true } }],
        [{ text: 'No', action: { do: 'discard' } }],
      ],
    })
    return 'asked'
  }

  async #open(record: SessionRecord, wanted: string, isOutside: boolean) {
    const directories = this.#directories(record)
    const checked = isOutside ? { ...directories, project: '/' } : directories
    return openDownload(checked, resolve(record.project, wanted), this.#services.host.settings.files)
  }

  #directories(record: SessionRecord): SessionDirectories {
    const { settings } = this.#services.host
    this.#services.host.mustBeHere(record)
    const { id, project } = record
    return {
      uploads: join(settings.dataDirectory, 'uploads', id),
      project,
      own: [settings.dataDirectory, settings.runtimeDirectory, join(settings.packDirectory, '..')],
    }
  }
}
