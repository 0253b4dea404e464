import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SignIn } from './adapter.js'

/** The evidence that an agent is signed in: names only. Nothing is opened. */
export interface SignInNames {
  /** Variables of which each one is sufficient to sign in. */
  variables: readonly string[]
  /** The agent's own directory, and files in it that exist after signing in. */
  directory: string
  files: readonly string[]
  /** What to do to sign in. */
  next: string
  /** Why neither a variable nor a file is required, if that is so. */
  elsewhere?: string
}

export function signInByNames(env: NodeJS.ProcessEnv, names: SignInNames): SignIn {
  const variable = names.variables.find(name => env[name] !== undefined && env[name] !== '')
  if (variable !== undefined) return { state: 'yes', because: `${variable} is set` }
  const file = names.files.map(name => join(names.directory, name)).find(path => existsSync(path))
  if (file !== undefined) return { state: 'yes', because: `${file} exists` }
  if (names.elsewhere !== undefined) return { state: 'unknown', because: names.elsewhere, next: names.next }
  const files = names.files.length === 0 ? '' : ` and ${join(names.directory, names.files[0]!)} does not exist`
  return { state: 'no', because: `no key is set${files}`, next: names.next }
}
