import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { type Clock, newId } from '../../clock/index.js'
import { type CallerIdentity, ROLES } from '../caller.js'
import { readPrivateFile, writePrivateFile } from './private-file.js'
import type { SharedLogins } from './shared-logins.js'

const IDLE_MS = 12 * 3_600_000
const LIFE_MS = 7 * 24 * 3_600_000
/** How often the time of the last use is written to disk; a restart may lose that much of it. */
const USE_SAVED_MS = 60_000
const DEVICES_MAX = 200

const person = z.object({ id: z.string(), name: z.string(), role: z.enum(ROLES).catch('viewer') })
const file = z.object({
  devices: z.array(
    z.object({
      id: z.string(),
      key: z.string(),
      name: z.string(),
      person,
      createdAt: z.number(),
      usedAt: z.number(),
    }),
  ),
})

/**
 * A browser that has logged in. Server and browser keep its key, which is sent once, at the login.
 */
export interface Device {
  readonly id: string
  readonly name: string
  readonly person: CallerIdentity
  readonly createdAt: number
  usedAt: number
  /** When the person last confirmed the login; kept in memory only. */
  confirmedAt?: number
}

type KeptDevice = Device & { key: string }

/**
 * `<state>/devices.json`: the browsers that are logged in, with their keys. Servers of a shared
 * store keep them there instead, and each of them follows what the others change.
 */
export class Devices {
  readonly #path: string
  readonly #shared: SharedLogins | null
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  readonly #devices = new Map<string, { device: Device; key: Buffer }>()
  readonly #listeners = new Set<(device: string) => void>()
  /** Those whose end is not in the shared store yet. */
  readonly #dropped = new Set<string>()
  /** Those that the shared store does not have yet. */
  readonly #added = new Set<string>()
  #savedAt = 0
  #saving: Promise<void> = Promise.resolve()

  private constructor(path: string, clock: Clock, onError: (error: unknown) => void, shared: SharedLogins | null) {
    this.#path = path
    this.#shared = shared
    this.#clock = clock
    this.#onError = onError
  }

  static async open(
    stateDirectory: string,
    clock: Clock,
    onError: (error: unknown) => void,
    shared: SharedLogins | null = null,
  ): Promise<Devices> {
    const devices = new Devices(join(stateDirectory, 'devices.json'), clock, onError, shared)
    await (shared ? devices.reload() : devices.#load())
    return devices
  }

  /** Reads what other servers of the store have changed. */
  async reload(): Promise<void> {
    const kept = await this.#shared?.read<KeptDevice[]>('devices')
    if (kept !== undefined) this.#adopt(kept ?? [])
  }

  /** A new device and its key. The key is returned only here. */
  async add(owner: CallerIdentity, name: string): Promise<{ device: Device; key: Buffer; expiresAt: number }> {
    const now = this.#clock.now()
    const key = randomBytes(32)
    const device: Device = { id: newId('dev'), name, person: owner, createdAt: now, usedAt: now }
    this.#devices.set(device.id, { device, key })
    this.#added.add(device.id)
    for (const { id } of this.list().slice(DEVICES_MAX)) this.#drop(id)
    await this.#save()
    return { device, key, expiresAt: this.expiryOf(device) }
  }

  /** The device and its key, unless its login has expired. */
  find(id: string): { device: Device; key: Buffer } | null {
    const found = this.#devices.get(id)
    if (!found) return null
    if (this.expiryOf(found.device) > this.#clock.now()) return found
    this.#drop(id)
    return null
  }

  used(device: Device): void {
    device.usedAt = this.#clock.now()
    if (device.usedAt - this.#savedAt > USE_SAVED_MS) void this.#save()
  }

  /** The person confirmed the login; on a shared store, for every server. */
  async confirmed(device: Device, at: number): Promise<void> {
    device.confirmedAt = at
    if (this.#shared) await this.#save()
  }

  /** The most recently used device first. */
  list(): Device[] {
    return [...this.#devices.keys()]
      .flatMap(id => this.find(id)?.device ?? [])
      .sort((a, b) => b.usedAt - a.usedAt || (a.id < b.id ? -1 : 1))
  }

  expiryOf({ createdAt, usedAt }: Device): number {
    return Math.min(usedAt + IDLE_MS, createdAt + LIFE_MS)
  }

  /** Ends the device's login and all its open streams and terminals. False: unknown device. */
  async revoke(id: string): Promise<boolean> {
    if (!this.#drop(id)) return false
    await this.#save()
    return true
  }

  async revokeAll(): Promise<void> {
    for (const id of [...this.#devices.keys()]) this.#drop(id)
    await this.#save()
  }

  onRevoked(listener: (device: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when every change is on disk. */
  untilSaved(): Promise<void> {
    return this.#saving
  }

  #drop(id: string): boolean {
    if (!this.#devices.delete(id)) return false
    this.#dropped.add(id)
    for (const listener of this.#listeners) listener(id)
    return true
  }

  async #load(): Promise<void> {
    const text = await readPrivateFile(this.#path)
    if (text === null) return
    try {
      for (const { key, ...device } of file.parse(JSON.parse(text)).devices)
        this.#devices.set(device.id, { device, key: Buffer.from(key, 'base64url') })
    } catch (error) {
      // With a file that cannot be read no device is logged in; logging in again takes one command.
      this.#onError(error)
    }
  }

  /** Another server may have ended some, and added others. */
  #adopt(kept: readonly KeptDevice[]): void {
    const known = new Set(kept.map(({ id }) => id))
    for (const id of [...this.#devices.keys()]) if (!known.has(id) && !this.#added.has(id)) this.#drop(id)
    for (const { key, ...device } of kept) {
      const before = this.#devices.get(device.id)?.device
      const usedAt = Math.max(device.usedAt, before?.usedAt ?? 0)
      const confirmedAt = Math.max(device.confirmedAt ?? 0, before?.confirmedAt ?? 0)
      const merged: Device = { ...device, usedAt, ...(confirmedAt > 0 && { confirmedAt }) }
      if (before) Object.assign(before, merged)
      else this.#devices.set(device.id, { device: merged, key: Buffer.from(key, 'base64url') })
    }
  }

  async #share(shared: SharedLogins): Promise<void> {
    const [gone, added] = [new Set(this.#dropped), new Set(this.#added)]
    const ours = [...this.#devices.values()].map(({ device, key }) => ({ ...device, key: key.toString('base64url') }))
    const kept = await shared.change<KeptDevice[]>('devices', before => {
      const others = (before ?? []).filter(({ id }) => !gone.has(id))
      const merged = others.map(device => ({ ...device, ...ours.find(({ id }) => id === device.id) }))
      return [...merged, ...ours.filter(({ id }) => added.has(id) && !merged.some(known => known.id === id))]
    })
    for (const id of gone) this.#dropped.delete(id)
    for (const id of added) this.#added.delete(id)
    this.#adopt(kept)
  }

  #save(): Promise<void> {
    this.#savedAt = this.#clock.now()
    const shared = this.#shared
    if (shared) {
      const done = this.#saving.then(() => this.#share(shared))
      this.#saving = done.catch(this.#onError)
      return done
    }
    const devices = [...this.#devices.values()].map(({ device, key }) => {
      const { confirmedAt: _, ...kept } = device
      return { ...kept, key: key.toString('base64url') }
    })
    const text = `${JSON.stringify({ devices })}\n`
    const saved = this.#saving.then(() => writePrivateFile(this.#path, text))
    this.#saving = saved.catch(this.#onError)
    return this.#saving
  }
}
