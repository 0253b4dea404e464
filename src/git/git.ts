import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { type CommandResult, runCommand } from '../process/index.js'
import { type FoundRepository, findRepository } from './find-repository.js'
import { commandAt, safeArguments } from './safe-arguments.js'

/** Set by git's hooks and editors; inherited, git would use another repository. */
const INHERITED_VARIABLES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
]
const TIMEOUT_MS = 120_000
/** How often files may vanish between their listing and their use. */
const NEW_FILES_TRIES = 3

/** No setting of a repository may start a program while the repository is only read. */
const SAFE_OPTIONS = [
  '-c',
  'core.quotePath=false',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'protocol.ext.allow=never',
] as const

/** Hooks run only for commits and pushes, which are made on purpose. */
function hooksFor(args: readonly string[]): readonly string[] {
  // Settings are read unchanged.
  return ['commit', 'push', 'config'].includes(args[commandAt(args)]!) ? [] : ['-c', 'core.hooksPath=/dev/null']
}

/**
 * The top of the working tree by directory, as git reported it, with the state of the repository at
 * that time.
 */
const knownRoots = new Map<string, { mark: string; root: string }>()

export interface FileStatus {
  path: string
  /** Two letters of `git status --porcelain`. */
  code: string
}

/** A working tree through the git program: no prompts, no editor, no pager. */
export class Git {
  readonly cwd: string
  readonly #env: NodeJS.ProcessEnv

  constructor(cwd: string, env: NodeJS.ProcessEnv = process.env) {
    this.cwd = cwd
    const clean = Object.fromEntries(Object.entries(env).filter(([name]) => !INHERITED_VARIABLES.includes(name)))
    this.#env = {
      ...clean,
      GIT_TERMINAL_PROMPT: '0',
      GIT_EDITOR: 'true',
      GIT_PAGER: 'cat',
      GIT_OPTIONAL_LOCKS: '0',
      LC_ALL: 'C.UTF-8',
    }
  }

  /** Top of the working tree, or null outside one. */
  async root(): Promise<string | null> {
    const found = this.#nearest()
    if (found === null) return null
    const mark = found && `${found.directory} ${found.mark}`
    const known = knownRoots.get(this.cwd)
    if (known && known.mark === mark) return known.root
    const { code, stdout } = await this.try(['rev-parse', '--show-toplevel'])
    if (code !== 0) return null
    const root = stdout.trim()
    if (mark) knownRoots.set(this.cwd, { mark, root })
    return root
  }

  /** Undefined if only git can answer. */
  #nearest(): FoundRepository | null | undefined {
    try {
      return findRepository(this.cwd)
    } catch {
      return undefined
    }
  }

  /** The commit that is checked out; null outside a repository and before its first commit. */
  async head(): Promise<string | null> {
    const { code, stdout } = await this.try(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
    return code === 0 ? stdout.trim() : null
  }

  /** Null on a detached HEAD. */
  async branch(): Promise<string | null> {
    const { code, stdout } = await this.try(['symbolic-ref', '--quiet', '--short', 'HEAD'])
    return code === 0 ? stdout.trim() : null
  }

  async hasBranch(branch: string): Promise<boolean> {
    return (await this.try(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).code === 0
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    return (await this.try(['merge-base', '--is-ancestor', older, newer])).code === 0
  }

  /** @param renames counts a moved file as one change, not two. */
  async status({ renames = true }: { renames?: boolean } = {}): Promise<FileStatus[]> {
    const options = renames ? [] : ['--no-renames']
    const text = await this.run(['status', '--porcelain=v1', '-z', '--untracked-files=all', ...options])
    const parts = text.split('\0').filter(part => part !== '')
    const files: FileStatus[] = []
    for (let at = 0; at < parts.length; at++) {
      const code = parts[at]!.slice(0, 2)
      files.push({ code, path: parts[at]!.slice(3) })
      // A rename has its old path in a separate field.
      if (code.includes('R') || code.includes('C')) at++
    }
    return files
  }

  async diff(from: string | null, options: { stat?: boolean } = {}): Promise<string> {
    return this.run([
      'diff',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      ...(options.stat ? ['--stat=120'] : []),
      from ?? 'HEAD',
      '--',
    ])
  }

  async untracked(): Promise<string[]> {
    const text = await this.run(['ls-files', '--others', '--exclude-standard', '-z'])
    return text.split('\0').filter(path => path !== '')
  }

  /**
   * The hash of all files of the working tree, with untracked files, without ignored ones. It uses
   * a temporary index: neither the index nor the working tree changes. Paths in `except` are
   * ignored.
   */
  async treeHash(except: readonly string[] = []): Promise<string> {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-index-'))
    const env = { GIT_INDEX_FILE: join(directory, 'index') }
    try {
      const read = await this.try(['read-tree', 'HEAD'], env)
      // Before the first commit there is nothing to read.
      if (read.code !== 0 && (await this.head())) await this.run(['read-tree', 'HEAD'], env)
      await this.run(['add', '--all', '--', '.', ...this.#excluding(except)], env)
      return (await this.run(['write-tree'], env)).trim()
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }

  /**
   * Runs git with an index that also names new files, so that one `diff` shows all of them. It is a
   * copy: the index of the repository does not change.
   */
  async withNewFiles<T>(
    isWanted: (path: string) => boolean,
    work: (env: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-index-'))
    const env = { GIT_INDEX_FILE: join(directory, 'index') }
    try {
      const index = this.run(['rev-parse', '--git-path', 'index'])
      index.catch(() => undefined)
      for (let left = NEW_FILES_TRIES; ; left--) {
        // A directory is a repository in the repository.
        const paths = (await this.untracked()).filter(path => !path.endsWith('/') && isWanted(path))
        if (paths.length === 0) return await work({})
        const own = resolve(this.cwd, (await index).trim())
        if (existsSync(own)) copyIndex(own, env.GIT_INDEX_FILE)
        const list = join(directory, 'new')
        writeFileSync(list, paths.join('\0'))
        const add = ['add', '--intent-to-add', `--pathspec-from-file=${list}`, '--pathspec-file-nul']
        const literal = { ...env, GIT_LITERAL_PATHSPECS: '1' }
        const { code, stderr } = await this.try(['-c', 'core.sparseCheckout=false', ...add], literal)
        if (code === 0) return await work(env)
        // git refuses a path that was deleted meanwhile.
        if (left === 0) throw new SignalboxError('E_GIT', `git add failed: ${stderr.trim().split('\n')[0]}`)
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }

  /** Makes the working tree equal to `tree`, except for ignored files and those in `except`. */
  async restoreTree(tree: string, except: readonly string[] = []): Promise<void> {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-index-'))
    const env = { GIT_INDEX_FILE: join(directory, 'index') }
    try {
      await this.run(['add', '--all', '--', '.', ...this.#excluding(except)], env)
      await this.run(['read-tree', '--reset', '-u', tree], env)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }

  /** Keeps a tree as a commit under a ref; branches, index and files do not change. */
  async saveTree(tree: string, ref: string, message: string): Promise<void> {
    const head = await this.head()
    const identity = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap(role => [
        [`GIT_${role}_NAME`, 'Signalbox'],
        [`GIT_${role}_EMAIL`, 'signalbox@localhost'],
      ]),
    )
    const commit = await this.run(
      ['commit-tree', tree, ...(head === null ? [] : ['-p', head]), '-m', message],
      identity,
    )
    await this.run(['update-ref', ref, commit.trim()])
  }

  /** Pathspecs that exclude these files or directories; paths outside this directory need none. */
  #excluding(paths: readonly string[]): string[] {
    if (paths.length === 0) return []
    const here = realpathSync(this.cwd)
    return paths
      .map(path => relative(here, path))
      .filter(path => path !== '' && !path.startsWith('..'))
      .map(path => `:(exclude,literal)${path}`)
  }

  /** @throws SignalboxError `E_GIT` with git's message. */
  async run(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.try(args, env)
    if (code === 0) return stdout
    throw new SignalboxError('E_GIT', `git ${args[0]} failed: ${stderr.trim().split('\n')[0] ?? `exit ${code}`}`, {
      details: { args, cwd: this.cwd, stderr: stderr.slice(0, 4_000) },
    })
  }

  /** The output byte by byte, for files that are not text. @throws SignalboxError `E_GIT` */
  async bytes(args: readonly string[]): Promise<Buffer> {
    const { code, stdout, stderr } = await this.#start(args, {}, { encoding: 'latin1' })
    if (code === 0) return Buffer.from(stdout, 'latin1')
    throw new SignalboxError('E_GIT', `git ${args[0]} failed: ${stderr.trim().split('\n')[0] ?? `exit ${code}`}`)
  }

  /**
   * For questions that git answers with its exit code.
   * @throws SignalboxError `E_GIT` when git is not installed.
   */
  async try(args: readonly string[], env: Record<string, string> = {}, timeoutMs = TIMEOUT_MS): Promise<CommandResult> {
    return this.#start(args, env, { timeoutMs })
  }

  async #start(
    args: readonly string[],
    env: Record<string, string>,
    options: { timeoutMs?: number; encoding?: 'utf8' | 'latin1' },
  ): Promise<CommandResult> {
    const ask = async (question: readonly string[]) => (await this.#start(question, env, {})).stdout
    const safe = await safeArguments(this.cwd, args, ask, env.GIT_INDEX_FILE)
    try {
      return await runCommand('git', [...SAFE_OPTIONS, ...hooksFor(args), ...safe], {
        cwd: this.cwd,
        env: { ...this.#env, ...env },
        timeoutMs: TIMEOUT_MS,
        ...options,
        maxBytes: 64 * 1024 * 1024,
      })
    } catch (error) {
      throw new SignalboxError('E_GIT', `git could not be started: ${(error as Error).message}`, {
        next: 'install git, or run outside a repository',
        cause: error,
      })
    }
  }
}

/**
 * With its time: git compares the content of files that were changed in the second in which the
 * index was written, because their times are equal.
 */
function copyIndex(from: string, to: string): void {
  const { atimeMs, mtimeMs } = statSync(from)
  copyFileSync(from, to)
  utimesSync(to, atimeMs / 1000, (mtimeMs - 1) / 1000)
}
