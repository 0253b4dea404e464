import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentAdapter, AgentHooks, HookWiring } from '../agents/index.js'
import { newNonce } from '../clock/index.js'
import { ownProgram } from '../process/index.js'
import type { ReportSettings } from './report-settings.js'

const TOKEN_FILE = 'hook-token.sha256'

export interface WiredSession {
  wiring: HookWiring
  /** What the relay needs to find the daemon and to prove which session it speaks for. */
  env: Record<string, string>
}

/**
 * A session's private directory and its hook token. The token itself stands only in the session's environment; the directory keeps its
 * hash, so that a later host knows it again. Null where no hooks are wanted, or the agent has neither hooks nor a channel of its own.
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
 * Whether permission hooks wait for a person: where the agent's own dialog stays answerable meanwhile, or the person asked for it; with
 * `unattended` also where it does not, as long as nobody is attached (`AgentChannels` looks when a hook comes).
 */
export function mayHold({ holds }: AgentHooks, { hooks: { hold } }: ReportSettings): boolean {
  return hold === 'always' || hold === 'unattended' || (hold !== 'never' && holds)
}

/** At the session's end: its token is worth nothing any more, and its settings files go. */
export function unwireHooks(id: string, settings: ReportSettings): void {
  rmSync(sessionDirectory(id, settings), { recursive: true, force: true })
}

/** Every session that has a private directory. */
export function wiredSessions({ runtimeDirectory }: ReportSettings): string[] {
  const directory = join(runtimeDirectory, 'sessions')
  return existsSync(directory) ? readdirSync(directory) : []
}

/** Which session a token speaks for. Looks at every candidate, and at each in the same time, whatever the token is. */
export class HookTokens {
  readonly #hashes = new Map<string, Buffer>()

  /** Reads what `wireHooks` left for this session, by this host or an earlier one. */
  learn(id: string, settings: ReportSettings): void {
    try {
      const hash = Buffer.from(readFileSync(join(sessionDirectory(id, settings), TOKEN_FILE), 'utf8').trim(), 'hex')
      if (hash.length === 32) this.#hashes.set(id, hash)
    } catch {
      // A session without hooks has none.
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

/** Where a session's private files are. */
export function sessionDirectory(id: string, settings: ReportSettings): string {
  return join(settings.runtimeDirectory, 'sessions', id)
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
