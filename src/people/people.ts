import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { SignalboxError } from '../errors/index.js'

export const ROLES = ['viewer', 'approver', 'owner'] as const
export type PersonRole = (typeof ROLES)[number]

const person = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  role: z.enum(ROLES),
  /** The numeric ids of this person's Telegram accounts. Account names are never compared. */
  telegram: z.array(z.int()).default([]),
})
export type Person = z.output<typeof person>

const file = z.strictObject({ people: z.array(person) })

/**
 * The people who may use Signalbox from other devices: `people.json` beside the settings, mode
 * 0600. It changes only after a confirmation at this machine. A missing file is an empty list; a
 * file that cannot be read is an error, never an empty list.
 */
export class People {
  readonly #path: string
  #read: { mtimeMs: number; people: readonly Person[] } | null = null

  constructor(configDirectory: string) {
    this.#path = join(configDirectory, 'people.json')
  }

  /** @throws SignalboxError `E_CONFIG` */
  all(): readonly Person[] {
    const mtimeMs = statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs
    if (mtimeMs === undefined) return []
    if (this.#read?.mtimeMs !== mtimeMs) this.#read = { mtimeMs, people: parse(this.#path) }
    return this.#read!.people
  }

  byTelegram(id: number): Person | null {
    return this.all().find(({ telegram }) => telegram.includes(id)) ?? null
  }

  /** Writes a new file, then replaces the old one by it. */
  save(people: readonly Person[]): void {
    const temporary = `${this.#path}.${randomBytes(6).toString('hex')}`
    writeFileSync(temporary, `${JSON.stringify({ people }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, this.#path)
    chmodSync(this.#path, 0o600)
    this.#read = null
  }

  /** Assigns an account to a person, and removes it from all others. */
  pair(telegram: number, { name, role }: { name: string; role: PersonRole }): Person {
    const others = this.all().map(known => ({ ...known, telegram: known.telegram.filter(id => id !== telegram) }))
    const known = others.find(candidate => candidate.name === name)
    const paired = {
      id: known?.id ?? `person-${telegram}`,
      name,
      role,
      telegram: [...(known?.telegram ?? []), telegram],
    }
    this.save([...others.filter(candidate => candidate !== known), paired])
    return paired
  }

  /** Removes all rights of an account, for example of a lost phone. */
  unpair(telegram: number): boolean {
    const before = this.all()
    if (!before.some(known => known.telegram.includes(telegram))) return false
    this.save(before.map(known => ({ ...known, telegram: known.telegram.filter(id => id !== telegram) })))
    return true
  }
}

function parse(path: string): readonly Person[] {
  try {
    return file.parse(JSON.parse(readFileSync(path, 'utf8'))).people
  } catch (cause) {
    const what =
      cause instanceof z.ZodError
        ? cause.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`).join('; ')
        : String(cause)
    throw new SignalboxError('E_CONFIG', `people.json cannot be read: ${what}`, {
      place: { file: path, line: 1 },
      next: 'repair the file, or pair again with signalbox telegram setup',
      cause,
    })
  }
}
