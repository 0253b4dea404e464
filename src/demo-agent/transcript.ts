import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'

export interface TranscriptRecord {
  type:
    | 'session'
    | 'user'
    | 'assistant'
    | 'tool_use'
    | 'tool_result'
    | 'usage'
    | 'menu'
    | 'compact'
    | 'error'
    | 'turn_end'
  [field: string]: unknown
}

/** The agent's transcript: one JSON object per line, written as soon as a record is complete. */
export class Transcript {
  private constructor(
    readonly id: string,
    readonly file: string,
    private readonly lockFile: string,
  ) {}

  static directory(home: string): string {
    return join(home, 'sessions')
  }

  /** A new session. An id that was used before is refused, as real agents do. */
  static create(home: string, id: string, about: Record<string, unknown>): Transcript {
    const transcript = Transcript.at(home, id)
    if (existsSync(transcript.file))
      throw new SignalboxError('E_INPUT', `session id ${id} is already in use`, {
        next: `resume it with --resume ${id}, or choose another id`,
      })
    transcript.lock()
    transcript.append({ type: 'session', id, ...about })
    return transcript
  }

  static resume(home: string, id: string): { transcript: Transcript; records: TranscriptRecord[] } {
    const transcript = Transcript.at(home, id)
    if (!existsSync(transcript.file))
      throw new SignalboxError('E_UNKNOWN', `unknown session "${id}" in ${Transcript.directory(home)}`)
    transcript.lock()
    return { transcript, records: Transcript.read(home, id) }
  }

  /** The records of a session, which may be in use. */
  static read(home: string, id: string): TranscriptRecord[] {
    return readRecords(readFileSync(Transcript.at(home, id).file, 'utf8'))
  }

  append(record: TranscriptRecord): void {
    const { type, ...rest } = record
    appendFileSync(this.file, `${JSON.stringify({ type, at: new Date().toISOString(), ...rest })}\n`)
  }

  close(): void {
    rmSync(this.lockFile, { force: true })
  }

  private static at(home: string, id: string): Transcript {
    if (!/^[\w.-]{1,80}$/.test(id) || id.startsWith('.'))
      throw new SignalboxError('E_INPUT', `"${id}" is not a valid session id`, {
        next: 'use letters, digits, - and _',
      })
    const directory = Transcript.directory(home)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return new Transcript(id, join(directory, `${id}.jsonl`), join(directory, `${id}.lock`))
  }

  private lock(): void {
    const owner = existsSync(this.lockFile) ? Number(readFileSync(this.lockFile, 'utf8')) : 0
    if (owner > 0 && owner !== process.pid && isAlive(owner))
      throw new SignalboxError('E_INPUT', `session ${this.id} is in use by process ${owner}`, {
        next: 'end that process first',
      })
    writeFileSync(this.lockFile, String(process.pid))
  }
}

/** Complete records only: an incomplete last line, or one that is not ours, is skipped. */
function readRecords(text: string): TranscriptRecord[] {
  const records: TranscriptRecord[] = []
  for (const line of text.split('\n')) {
    try {
      const record: unknown = JSON.parse(line)
      if (typeof record === 'object' && record !== null && 'type' in record) records.push(record as TranscriptRecord)
    } catch {
      // A process that was killed while writing leaves half a line behind.
    }
  }
  return records
}

/** A process that has ended and was not reaped yet is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
