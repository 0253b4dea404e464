import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { SignalboxError } from '../errors/index.js'
import { PACKAGE_ROOT } from '../process/index.js'

/*
 * What each agent needs in a sandbox, as data: `packs/<agent>/sandbox/profile.toml`. A person's own
 * file of the same name, in the packs of their settings directory, replaces the lists that it has.
 */

/** Paths below `~`, or below a variable (`$NAME/…`); those that do not exist are left out. */
const profile = z.strictObject({
  read: z.array(z.string()),
  write: z.array(z.string()),
  /** Read-only within what can be written: settings and programs that run outside, too. */
  protect: z.array(z.string()),
  /** Files that can be written in the sandbox, and are not changed outside. */
  copy: z.array(z.string()),
  /** Credentials, by name. */
  env: z.array(z.string().regex(/^\w+$/)),
  hosts: z.array(z.string()),
})
export type SandboxProfile = z.infer<typeof profile>

const SHIPPED = join(PACKAGE_ROOT, 'packs')
const DEFAULT_PROFILE: SandboxProfile = {
  read: ['~/.gitconfig', ...['config', 'ignore', 'attributes'].map(name => `~/.config/git/${name}`)],
  write: [],
  protect: [],
  copy: [],
  env: [],
  hosts: [],
}

/**
 * @param own the directory of a person's own packs.
 * @throws SignalboxError `E_PACK` for a file that is not a profile.
 */
export function profileOf(agent: string, own: string | null): SandboxProfile {
  if (!/^[\w-]+$/.test(agent)) return DEFAULT_PROFILE
  const [shipped, theirs] = [SHIPPED, own].map(packs =>
    packs === null ? {} : readProfile(join(packs, agent, 'sandbox', 'profile.toml')),
  )
  return { ...DEFAULT_PROFILE, ...shipped, ...theirs }
}

function readProfile(file: string): Partial<SandboxProfile> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {}
    throw error
  }
  try {
    return profile.partial().parse(parse(text)) as Partial<SandboxProfile>
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    const why = issue ? `${issue.path.join('.') || 'it'}: ${issue.message}` : (error as Error).message
    throw new SignalboxError('E_PACK', `${file} is not a profile of a sandbox: ${why}`, {
      next: 'it has lists of text: read, write, protect, copy, env, hosts',
      cause: error,
    })
  }
}
