import { type Clock, matchingIds, newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, newEvent } from '../events/index.js'
import { type EventStore, retryConflicts } from '../store/index.js'
import {
  type GrantEnd,
  type GrantRecord,
  type GrantSwitch,
  grantStream,
  grantsProjection,
  isActive,
  isCovered,
  isGrant,
} from './grants.js'
import type { Actor, Surface } from './policy.js'
import type { ApprovalRequest } from './record.js'

const SWITCH = 'all'

/** Changes with the effective settings of a project. */
export type SettingsHash = (project: string) => string

/** The grants in the store: lists them, finds the one that covers a request, ends them. */
export class GrantRegistry {
  readonly #store: EventStore
  readonly #clock: Clock
  readonly #settingsHash: SettingsHash | undefined

  constructor(store: EventStore, clock: Clock, settingsHash?: SettingsHash) {
    this.#store = store
    this.#clock = clock
    this.#settingsHash = settingsHash
  }

  /** The hash of the settings that a grant for this project is made under. */
  settingsOf(project: string): { settings?: string } {
    return this.#settingsHash ? { settings: this.#settingsHash(project) } : {}
  }

  /** Newest first; with `all`, also those that have ended. */
  async list(options: { all?: boolean } = {}): Promise<GrantRecord[]> {
    const documents = await this.#store.documents<GrantRecord | GrantSwitch>(grantsProjection.name)
    const grants = documents.map(document => document.state).filter(isGrant)
    const now = this.#clock.now()
    return (options.all ? grants : grants.filter(grant => isActive(grant, now))).sort((a, b) => b.madeAt - a.madeAt)
  }

  async switch(): Promise<GrantSwitch> {
    const document = await this.#store.document<GrantSwitch>(grantsProjection.name, SWITCH)
    return document?.state ?? { id: SWITCH, version: 0, isPaused: false }
  }

  /** The oldest covering grant, and the pause switch's version: both must not change. */
  async cover(request: ApprovalRequest): Promise<{ grant: GrantRecord; switchVersion: number } | null> {
    const grants = await this.list()
    if (grants.length === 0) return null
    const { isPaused, version } = await this.switch()
    if (isPaused) return null
    const grant = grants.findLast(
      candidate => isCovered(request, candidate, this.#clock.now()) && !this.#hasOtherSettings(candidate),
    )
    return grant ? { grant, switchVersion: version } : null
  }

  /** By id or by a unique prefix of it. @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  async find(word: string): Promise<GrantRecord> {
    const found = matchingIds('grt', await this.list({ all: true }), word)
    if (found.length === 1) return found[0]!
    if (found.length === 0)
      throw new SignalboxError('E_UNKNOWN', `unknown standing approval "${word}"`, {
        next: 'signalbox grants --all lists them',
      })
    throw new SignalboxError('E_ID_AMBIGUOUS', `"${word}" matches ${found.map(({ id }) => id).join(', ')}`)
  }

  /** Makes a grant that belongs to no request. */
  async make(grant: EventData<'grant.made'>): Promise<GrantRecord> {
    const id = newId('grt')
    await this.#store.append(grantStream(id), 0, [newEvent('grant.made', grant)])
    return this.find(id)
  }

  /** False when it had already ended. */
  async end(grant: GrantRecord, reason: GrantEnd, by?: Actor): Promise<boolean> {
    return retryConflicts(async () => {
      const version = await this.#store.streamVersion(grantStream(grant.id))
      const now = (await this.#store.document<GrantRecord>(grantsProjection.name, grant.id))?.state
      if (!now || now.ended) return false
      const ended = newEvent('grant.ended', { reason, ...(by && { by }) })
      await this.#store.append(grantStream(grant.id), version, [ended])
      return true
    })
  }

  /** Ends all matching grants. @returns how many. */
  async endWhere(isMatch: (grant: GrantRecord) => boolean, reason: GrantEnd, by?: Actor): Promise<number> {
    const open = (await this.list({ all: true })).filter(grant => !grant.ended && isMatch(grant))
    let ended = 0
    for (const grant of open) if (await this.end(grant, reason, by)) ended++
    return ended
  }

  /** Ends grants whose time or uses are over, or that were made under other settings. */
  async endOutdated(): Promise<void> {
    const now = this.#clock.now()
    await this.endWhere(grant => this.#hasOtherSettings(grant), 'config')
    await this.endWhere(grant => now >= grant.expiresAt, 'time')
    await this.endWhere(grant => grant.uses >= grant.maxUses, 'uses')
  }

  async pause(by: Actor, surface: Surface): Promise<GrantSwitch> {
    return this.#setPaused('grant.paused', by, surface)
  }

  async resume(by: Actor, surface: Surface): Promise<GrantSwitch> {
    return this.#setPaused('grant.resumed', by, surface)
  }

  /** A grant holds only under the settings that it was made under. */
  #hasOtherSettings({ settings, project }: GrantRecord): boolean {
    return settings !== undefined && this.#settingsHash !== undefined && this.#settingsHash(project) !== settings
  }

  async #setPaused(type: 'grant.paused' | 'grant.resumed', by: Actor, surface: Surface): Promise<GrantSwitch> {
    await this.#store.append(grantStream(SWITCH), 'any', [newEvent(type, { by, surface })])
    return this.switch()
  }
}
