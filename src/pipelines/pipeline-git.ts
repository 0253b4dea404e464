import { rmSync } from 'node:fs'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import { STEP_MARK } from '../process/index.js'

/** A larger diff goes into a file of its own. */
export const DIFF_MAX = 200_000

/** A hook that takes longer probably waits for input that never comes. */
const COMMIT_TIMEOUT_MS = 60_000
const PUSH_TIMEOUT_MS = 600_000

export interface CommitOptions {
  message: string
  /** Commit only these paths; null commits the whole tree. */
  paths: readonly string[] | null
  /** Never commit these. */
  except: readonly string[]
  hooks: boolean
}

export type CommitEnd = { commit: string } | { commit: null } | { refused: string }

export class PipelineGit {
  readonly git: Git
  readonly #commitTimeoutMs: number
  readonly #mark: string | undefined

  /** @param mark the name of the step, which the hooks of its commits carry. */
  constructor(
    cwd: string,
    { commitTimeoutMs = COMMIT_TIMEOUT_MS, mark }: { commitTimeoutMs?: number; mark?: string } = {},
  ) {
    this.git = new Git(cwd)
    this.#mark = mark
    this.#commitTimeoutMs = commitTimeoutMs
  }

  // — branches and worktrees —

  /** The default branch of `origin`, else `main` or `master`, else the current branch. */
  async defaultBranch(): Promise<string | null> {
    const { code, stdout } = await this.git.try(['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'])
    const named = code === 0 ? stdout.trim().replace(/^origin\//, '') : null
    for (const name of [named, 'main', 'master']) if (name !== null && (await this.git.hasBranch(name))) return name
    return this.git.branch()
  }

  async commitOf(revision: string): Promise<string | null> {
    const { code, stdout } = await this.git.try([
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${revision}^{commit}`,
    ])
    return code === 0 ? stdout.trim() : null
  }

  /** The worktree of the repository that has the branch checked out; null if none has. */
  async checkedOutAt(branch: string): Promise<string | null> {
    const { stdout } = await this.git.try(['worktree', 'list', '--porcelain', '-z'])
    for (const block of stdout.split('\0\0')) {
      const lines = block.split('\0')
      if (lines.includes(`branch refs/heads/${branch}`)) return lines[0]!.replace(/^worktree /, '')
    }
    return null
  }

  async removeWorktree(path: string, branch: string | null): Promise<boolean> {
    const { code } = await this.git.try(['worktree', 'remove', path])
    if (code !== 0) return false
    if (branch !== null) await this.git.try(['branch', '--quiet', '-D', branch])
    return true
  }

  // — what changed —

  treeHash(except: readonly string[] = []): Promise<string> {
    return this.git.treeHash(except)
  }

  async changedPaths(from: string, to: string): Promise<string[]> {
    const text = await this.git.run(['diff', '--name-only', '--no-renames', '-z', from, to, '--'])
    return text.split('\0').filter(path => path !== '')
  }

  /** The difference of two trees, without generated files: those are only listed. */
  async diff(
    from: string,
    to: string,
    except: readonly string[] = [],
  ): Promise<{ text: string; hidden: string[]; files: string[] }> {
    const files = (await this.changedPaths(from, to)).filter(path => !except.includes(path))
    const hidden = await this.#unreadable(from, to, files)
    const shown = files.filter(path => !hidden.includes(path))
    if (shown.length === 0) return { text: '', hidden, files }
    const args = [
      'diff',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      from,
      to,
      '--',
      ...shown.map(path => `:(top,literal)${path}`),
    ]
    return { text: await this.git.run(args), hidden, files }
  }

  async #unreadable(from: string, to: string, files: readonly string[]): Promise<string[]> {
    if (files.length === 0) return []
    const numbers = await this.git.run(['diff', '--numstat', '--no-renames', '-z', from, to, '--'])
    const binary = numbers.split('\0').flatMap(row => (row.startsWith('-\t-\t') ? [row.slice(4)] : []))
    const attributes = await this.git.try(['check-attr', '-z', 'linguist-generated', '--', ...files])
    const parts = attributes.stdout.split('\0')
    const generated: string[] = []
    for (let at = 0; at + 2 < parts.length; at += 3)
      if (['set', 'true'].includes(parts[at + 2]!)) generated.push(parts[at]!)
    return files.filter(path => binary.includes(path) || generated.includes(path) || GENERATED.test(path))
  }

  // — commits —

  async findCommit(trailers: readonly string[], from: string): Promise<string | null> {
    const grep = trailers.map(trailer => `--grep=^${trailer.replace(/[.[\]*^$\\]/g, '\\$&')}$`)
    const { code, stdout } = await this.git.try(['log', '-1', '--format=%H', '--all-match', ...grep, `${from}..HEAD`])
    return code === 0 && stdout.trim() !== '' ? stdout.trim() : null
  }

  /**
   * Commits the changes. Hooks run; if one rejects the commit, its output is returned, unless it
   * only modified files: then the commit is tried again.
   */
  async commit({ message, paths, except, hooks }: CommitOptions): Promise<CommitEnd> {
    const leave = except.map(path => `:(top,exclude,literal)${path}`)
    const take = paths?.map(path => `:(top,literal)${path}`)
    const add = () =>
      take
        ? take.length === 0
          ? Promise.resolve('')
          : this.git.run(['add', '--all', '--', ...take])
        : this.git.run(['add', '--all', '--', '.', ...leave])
    await add()
    const staged = take
      ? take.length > 0 && (await this.git.try(['diff', '--cached', '--quiet', '--', ...take])).code !== 0
      : (await this.git.try(['diff', '--cached', '--quiet'])).code !== 0
    if (!staged) return { commit: null }
    const identity = await this.#identity()
    const args = [
      ...identity,
      'commit',
      '--quiet',
      ...(hooks ? [] : ['--no-verify']),
      '-m',
      message,
      ...(take ? ['--', ...take] : []),
    ]
    let end = await this.#commitOnce(args)
    if (end.code !== 0 && hooks && (await this.#hasUnstaged())) {
      await add()
      end = await this.#commitOnce(args)
    }
    if (end.code === 0) return { commit: (await this.git.head())! }
    const printed = `${end.stderr}${end.stdout}`.trim()
    if (end.code === null)
      return {
        refused: `git commit took longer than ${this.#commitTimeoutMs / 1000} s and was killed\n${printed}`.trim(),
      }
    return { refused: printed || `git commit exited with code ${end.code}` }
  }

  /** Pushes; hooks such as those of git-lfs run, and carry the mark of the step. */
  push(args: readonly string[]): Promise<Awaited<ReturnType<Git['try']>>> {
    return this.git.try(['push', ...args], this.#marked(), PUSH_TIMEOUT_MS)
  }

  #marked(): Record<string, string> {
    return this.#mark === undefined ? {} : { [STEP_MARK]: this.#mark }
  }

  /** A killed commit leaves its lock file behind, and nothing else would remove it. */
  async #commitOnce(args: readonly string[]): Promise<Awaited<ReturnType<Git['try']>>> {
    const end = await this.git.try(args, this.#marked(), this.#commitTimeoutMs)
    if (end.code === null) {
      const { stdout } = await this.git.try(['rev-parse', '--path-format=absolute', '--git-path', 'index.lock'])
      rmSync(stdout.trim(), { force: true })
    }
    return end
  }

  /** Everything was staged, so an unstaged change was made by a hook. */
  async #hasUnstaged(): Promise<boolean> {
    return (await this.git.status()).some(({ code }) => code[1] !== ' ')
  }

  async #identity(): Promise<string[]> {
    const { code } = await this.git.try(['config', 'user.email'])
    return code === 0 ? [] : ['-c', 'user.name=Signalbox', '-c', 'user.email=signalbox@localhost']
  }

  /** Turns commits that an agent made against its instructions back into changes. */
  async undoCommits(since: string): Promise<boolean> {
    const head = await this.git.head()
    if (head === null || head === since) return false
    if (!(await this.git.isAncestor(since, head)))
      throw new SignalboxError('E_GIT', `the branch no longer descends from ${since.slice(0, 12)}`, {
        next: `reset the branch, or restore ${since.slice(0, 12)}, then signalbox resume`,
      })
    // Drops a merge that was resolved but not committed; its changes stay.
    await this.git.try(['merge', '--quit'])
    await this.git.run(['reset', '--quiet', '--soft', since])
    return true
  }

  /** Files of an unfinished merge or rebase. */
  async conflicts(): Promise<string[]> {
    const text = await this.git.run(['diff', '--name-only', '--diff-filter=U', '-z'])
    return text.split('\0').filter(path => path !== '')
  }

  async commitsAhead(base: string): Promise<number> {
    const { code, stdout } = await this.git.try(['rev-list', '--count', `${base}..HEAD`])
    return code === 0 ? Number(stdout.trim()) : 0
  }
}

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|poetry\.lock|uv\.lock|go\.sum|composer\.lock|Gemfile\.lock)$|\.min\.(?:js|css)$|\.map$/
