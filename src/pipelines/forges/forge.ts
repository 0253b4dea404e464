import { SignalboxError } from '../../errors/index.js'

/** A pull request of GitHub, or a merge request of GitLab. */
export interface Pull {
  number: number
  url: string
  title: string
  state: 'open' | 'merged' | 'closed'
  isDraft: boolean
  base: string
  branch: string
  /** The newest commit of the branch, as the forge sees it. */
  head: string
  /** Where the branch is pushed to: null is the remote of the repository, else a URL. */
  pushUrl: string | null
  /** The branch is in another repository, which this login may not write to. */
  isReadOnly: boolean
}

export interface Check {
  name: string
  state: 'pending' | 'passed' | 'failed'
  /** The job's id or URL, for its log. */
  job: string | null
}

export interface PullComment {
  id: string
  author: string
  isBot: boolean
  body: string
}

/** A conversation about a line; it can be resolved. */
export interface Thread {
  id: string
  path: string
  line: number | null
  isResolved: boolean
  comments: PullComment[]
}

/** All about a pull request that following it needs. */
export interface PullView extends Pull {
  hasConflict: boolean
  isApproved: boolean
  checks: Check[]
  threads: Thread[]
  /** Comments that belong to no line, and texts of reviews. */
  comments: PullComment[]
}

interface NewPull {
  title: string
  body: string
  base: string
  branch: string
  isDraft: boolean
  labels: readonly string[]
  reviewers: readonly string[]
}

type MergeMethod = 'merge' | 'squash' | 'rebase'

/**
 * A site with pull requests, through its own program and login. Reading may be repeated; code
 * that writes first checks whether it is already there.
 * @throws SignalboxError `E_PROGRAM_MISSING`, `E_NOT_SIGNED_IN`, `E_UNKNOWN`, `E_TRACKER`;
 * `ForgeBusy` when the site should be asked again later.
 */
export interface Forge {
  readonly name: 'github' | 'gitlab'
  /** The newest pull request of a branch of this repository; null if it has none. */
  find(branch: string): Promise<Pull | null>
  get(number: number): Promise<Pull>
  open(pull: NewPull): Promise<Pull>
  view(number: number): Promise<PullView>
  /** The end of the log of a failed check; empty if the site keeps none. */
  log(check: Check): Promise<string>
  reply(number: number, thread: string, body: string): Promise<void>
  comment(number: number, body: string): Promise<void>
  resolve(number: number, thread: string): Promise<void>
  /** Merges this head and no other. */
  merge(number: number, head: string, method: MergeMethod): Promise<void>
}

/** The site refuses to answer for a while, or cannot be reached. */
export class ForgeBusy extends SignalboxError {
  constructor(forge: 'GitHub' | 'GitLab', said: string) {
    super('E_TRACKER', `${forge} does not answer: ${said}`, { next: 'the run retries later' })
  }
}

/** Runs the program of a forge. */
export type RunForge = (args: readonly string[]) => Promise<{ code: number | null; stdout: string; stderr: string }>

const BUSY =
  /rate limit|HTTP 429|Too Many Requests|submitted too quickly|HTTP 5\d\d|error connecting|timed? ?out|no such host|connection (refused|reset)/i

/** Why a program could not be started; where it is simply missing, without words of the system. */
export function notStarted(program: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? `${program} was not found` : `${program} could not be started: ${message}`
}

/** The output of a program of a forge. @throws SignalboxError that says what failed */
export async function forgeOutput(
  program: 'gh' | 'glab',
  run: RunForge,
  args: readonly string[],
  what: string,
): Promise<string> {
  let end: Awaited<ReturnType<RunForge>>
  try {
    end = await run(args)
  } catch (error) {
    throw new SignalboxError('E_PROGRAM_MISSING', notStarted(program, error), {
      next: program === 'gh' ? 'install the GitHub CLI: https://cli.github.com' : 'install the GitLab CLI: glab',
      cause: error,
    })
  }
  if (end.code === 0) return end.stdout
  const message = (end.stderr.trim() || end.stdout.trim()).split('\n')[0] ?? ''
  if (BUSY.test(end.stderr)) throw new ForgeBusy(program === 'gh' ? 'GitHub' : 'GitLab', message)
  if (/not logged in|auth login|HTTP 401/i.test(end.stderr))
    throw new SignalboxError('E_NOT_SIGNED_IN', `${program} is not signed in: ${message}`, {
      next: `${program} auth login`,
    })
  const isMissing = /not found|could not resolve|no pull requests? found|HTTP 404/i.test(message)
  throw new SignalboxError(
    isMissing ? 'E_UNKNOWN' : 'E_TRACKER',
    `${isMissing ? `${program} did not find` : `${program} failed for`} ${what}: ${message}`,
    { next: isMissing ? 'check the number, and which repository you are in' : 'try again' },
  )
}
