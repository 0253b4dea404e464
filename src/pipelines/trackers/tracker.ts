import type { Issue } from '../state.js'

/** A source of issues. */
export interface Tracker {
  readonly name: 'github' | 'jira' | 'file' | 'noop'
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
