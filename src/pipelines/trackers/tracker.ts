import type { Issue } from '../state.js'

/** Where issues come from. */
export interface Tracker {
  readonly name: 'github' | 'jira' | 'file' | 'noop'
  /** @throws SignalboxError that says what is missing: a program, a sign-in, a variable, the issue. */
  fetch(reference: string): Promise<FetchedIssue>
  /** Posts a comment, unless one with this mark is there already. @returns its address where there is one. */
  comment?(issue: Issue, marker: string, text: string): Promise<string | null>
}

export interface FetchedIssue {
  issue: Issue
  /** Worth telling the person, such as that it is closed. */
  warning: string | null
}

/** Everything outside that trackers need. */
export interface TrackerServices {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** Runs a program; rejects when it is not there. */
  run(file: string, args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
  request(
    url: string,
    options: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<{ status: number; text: string }>
  /** Waits between attempts. */
  pause(ms: number): Promise<void>
}
