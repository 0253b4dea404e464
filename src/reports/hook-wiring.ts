import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentAdapter, AgentHooks, HookWiring } from '../agents/index.js'
import { newNonce } from '../clock/index.js'
import { ownProgram } from '../process/index.js'

export interface ReportSettings {
  /** Contains a private directory for each session whose agent reports through hooks. */
  runtimeDirectory: string
  daemonSocket: string
  /** The daemon's socket for hook reports alone: the only one that is visible in a sandbox. */
  hookSocket: string
  hooks: {
    isEnabled: boolean
    /** Agents whose sessions get no hooks (`agents.<name>.hooks = false`). */
    offFor: readonly string[]
    /** `approvals.hold`: which permission hooks may wait for a person. */
    hold: 'adapter' | 'always' | 'never' | 'unattended'
  }
}

const TOKEN_FILE = 'hook-token.sha256'

export interface WiredSession {
  wiring: HookWiring
  /** What the relay needs to find the daemon and to prove its session. */
  env: Record<string, string>
}

/**
 * Creates a session's private directory and its hook token. The token itself is only in the
 * session's environment; the directory holds its hash, so that a later host can verify it. Null if
 * hooks are off, or the agent has neither hooks nor an event channel.
 */
export function wireHooks(id: string, adapter: AgentAdapter, settings: ReportSettings): WiredSession | null {
  const { hooks } = settings
  if (!hooks.isEnabled || hooks.offFor.includes(adapter.name) || !(adapter.hooks || adapter.events)) return null
  const directory = sessionDirectory(id, settings)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const token = newNonce()
  writeFileSync(join(directory, TOKEN_FILE), hashOf(token).toString('hex'), { mode: 0o600 })
  return {
    wiring: {
      directory,
      relay: [process.execPath, ownProgram('cli'), 'hook', adapter.name],
      mayHold: adapter.hooks !== undefined && mayHold(adapter.hooks, settings),
    },
    env: { SIGNALBOX_HOOK_TOKEN: token, SIGNALBOX_SOCKET: settings.daemonSocket },
  }
}

/**
 * Whether permission hooks wait for a person: if the agent's own dialog stays answerable meanwhile,
 * or if configured; with `unattended` also otherwise, as long as no person is attached
 * (`AgentChannels` checks when a hook arrives).
 */
export function mayHold({ holds }: AgentHooks, { hooks: { hold } }: ReportSettings): boolean {
  return hold === 'always' || hold === 'unattended' || (hold !== 'never' && holds)
}

/** At the end of a session: revokes its token and removes its settings files. */
export function unwireHooks(id: string, settings: ReportSettings): void {
  rmSync(sessionDirectory(id, settings), { recursive: true, force: true })
}

export function wiredSessions({ runtimeDirectory }: ReportSettings): string[] {
  const directory = join(runtimeDirectory, 'sessions')
  return existsSync(directory) ? readdirSync(directory) : []
}

/** Finds the session of a token. Checks every candidate in constant time, whatever the token is. */
export class HookTokens {
  readonly #hashes = new Map<string, Buffer>()

  /** Reads what `wireHooks` stored for this session, in this host or an earlier one. */
  learn(id: string, settings: ReportSettings): void {
    try {
      const hash = Buffer.from(readFileSync(join(sessionDirectory(id, settings), TOKEN_FILE), 'utf8').trim(), 'hex')
      if (hash.length === 32) this.#hashes.set(id, hash)
    } catch {
      // A session without hooks has no token.
    }
  }

  forget(id: string): void {
    this.#hashes.delete(id)
  }

  has(id: string): boolean {
    return this.#hashes.has(id)
  }

  sessionOf(token: string): string | null {
    const given = hashOf(token)
    let found: string | null = null
    for (const [id, hash] of this.#hashes) if (timingSafeEqual(hash, given)) found = id
    return found
  }
}

export function sessionDirectory(id: string, settings: ReportSettings): string {
  return join(settings.runtimeDirectory, 'sessions', id)
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
