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
    const [owner, start] = existsSync(this.lockFile) ? readFileSync(this.lockFile, 'utf8').split(' ') : []
    const pid = Number(owner)
    if (pid > 0 && pid !== process.pid && startOf(pid) === start)
      throw new SignalboxError('E_INPUT', `session ${this.id} is in use by process ${pid}`, {
        next: 'end that process first',
      })
    writeFileSync(this.lockFile, `${process.pid} ${startOf(process.pid)}`)
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

/**
 * When a process started, in the units of the system: with its number, it names one process,
 * because numbers are given again. Null if it has ended, also if it was not reaped yet.
 */
function startOf(pid: number): string | null {
  try {
    if (!existsSync('/proc/self/stat')) return process.kill(pid, 0) ? '' : null
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? null : fields[18]!
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? '' : null
  }
}
