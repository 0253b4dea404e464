import type { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { Issue } from '../state.js'

/** A source of issues. */
export interface Tracker {
  readonly name: 'github' | 'gitlab' | 'jira' | 'linear' | 'file' | 'noop'
  /**
   * @throws SignalboxError that names what is missing: a program, a login, a variable, the issue.
   */
  fetch(reference: string): Promise<FetchedIssue>
  /** Posts a comment, unless one with this marker exists. @returns its URL, if there is one. */
  comment?(issue: Issue, marker: string, text: string): Promise<string | null>
}

export interface FetchedIssue {
  issue: Issue
  /** For the person, for example that the issue is closed. */
  warning: string | null
}

export interface TrackerServices {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** Runs a program; rejects if it does not exist. */
  run(file: string, args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
  request(
    url: string,
    options: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<{ status: number; text: string }>
  /** Waits between attempts. */
  pause(ms: number): Promise<void>
}

/** @throws SignalboxError `E_TRACKER` that names who answered, if it is not the JSON expected. */
export function parseAnswer<T>(schema: z.ZodType<T>, text: string, from: string): T {
  const unreadable = (why: string) =>
    new SignalboxError('E_TRACKER', `${from} is not the JSON that was expected: ${why}`, {
      next: 'try again; nothing was started',
    })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw unreadable((error as Error).message)
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw unreadable(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
}
