import { SignalboxError } from '../../errors/index.js'
import { type FileStatus, Git } from '../../git/index.js'
import { runCommand } from '../../process/index.js'
import { type SessionRecord, uncommittedDiff } from '../../sessions/index.js'
import { plural } from '../../text/index.js'
import { escapeHtml } from '../outgoing/split.js'
import { sessionTitle } from './session-title.js'

const FILES_SHOWN = 20
const COMMITS_SHOWN = 3
const PULL_REQUEST_MS = 10_000

/** Branch, remote, changed files, last commits and pull request of a directory. */
export async function gitCard(record: SessionRecord): Promise<string> {
  const git = await repository(record)
  const [branch, files, ahead, log, request] = await Promise.all([
    git.branch(),
    git.status(),
    git.try(['rev-list', '--left-right', '--count', '@{upstream}...HEAD']),
    git.try(['log', '--format=%h %s', `-${COMMITS_SHOWN}`]),
    pullRequest(record.cwd),
  ])
  const head = await git.head()
  const shown = files.slice(0, FILES_SHOWN).map(({ code, path }) => `${code} ${path}`)
  const more = files.length > FILES_SHOWN ? [`… ${files.length - FILES_SHOWN} more`] : []
  const html = [
    `<b>${escapeHtml(sessionTitle(record))}</b>`,
    `Branch <code>${escapeHtml(branch ?? `none, at ${head?.slice(0, 7) ?? 'no commit'}`)}</code>${remoteText(ahead)}`,
    escapeHtml(changeText(files)),
    shown.length > 0 ? `<pre>${escapeHtml([...shown, ...more].join('\n'))}</pre>` : '',
    log.code === 0 && log.stdout.trim() !== '' ? `Last commits:\n<pre>${escapeHtml(log.stdout.trim())}</pre>` : '',
    request,
  ]
  return html.filter(Boolean).join('\n')
}

/** The branch and the number of changes in one line; empty outside a repository. */
export async function gitLine(cwd: string): Promise<string> {
  const git = new Git(cwd)
  if ((await git.root().catch(() => null)) === null) return ''
  const [branch, head, files] = await Promise.all([git.branch(), git.head(), git.status()])
  const position = branch ?? (head === null ? 'no commit yet' : `at ${head.slice(0, 7)}`)
  return `${position} · ${changeText(files).replace(/[.:]$/, '').toLowerCase()}`
}

/**
 * All uncommitted changes, with new files; null when there are none. Files that usually hold
 * credentials are only named.
 */
export async function gitDiff(record: SessionRecord): Promise<{ text: string; caption: string } | null> {
  const git = await repository(record)
  const diff = await uncommittedDiff(git)
  const notes = diff.hidden.map(path => `Not sent, because files with this name usually hold credentials: ${path}\n`)
  const text = [...notes, diff.text].join('')
  if (text === '') return null
  const files = (await git.status()).length
  const lines = text.split('\n')
  const plus = lines.filter(line => /^\+(?!\+\+ )/.test(line)).length
  const minus = lines.filter(line => /^-(?!-- )/.test(line)).length
  return { text, caption: `${plural(files, 'file')}, +${plus} −${minus}` }
}

/** @throws SignalboxError `E_STATE` */
async function repository({ cwd }: SessionRecord): Promise<Git> {
  const git = new Git(cwd)
  if ((await git.root().catch(() => null)) !== null) return git
  throw new SignalboxError('E_STATE', 'This project is not a git repository.', {
    next: '/download sends a single file.',
  })
}

function remoteText({ code, stdout }: { code: number | null; stdout: string }): string {
  if (code !== 0) return ''
  const [behind = 0, ahead = 0] = stdout.trim().split(/\s+/).map(Number)
  if (behind + ahead === 0) return ', up to date with its remote'
  return `, ${[ahead > 0 ? `${ahead} ahead` : '', behind > 0 ? `${behind} behind` : ''].filter(Boolean).join(', ')}`
}

function changeText(files: readonly FileStatus[]): string {
  if (files.length === 0) return 'No changes.'
  const fresh = files.filter(({ code }) => code === '??').length
  const changed = files.length - fresh
  return `${[changed > 0 ? `${changed} changed` : '', fresh > 0 ? `${fresh} new` : ''].filter(Boolean).join(', ')}:`
}

/**
 * The pull request of the branch, where the GitHub CLI is installed and knows one; else nothing.
 */
async function pullRequest(cwd: string): Promise<string> {
  const fields = 'number,title,state,url'
  const result = await runCommand('gh', ['pr', 'view', '--json', fields], { cwd, timeoutMs: PULL_REQUEST_MS }).catch(
    () => null,
  )
  if (result?.code !== 0) return ''
  try {
    const { number, title, state, url } = JSON.parse(result.stdout) as Record<string, unknown>
    const name = escapeHtml(`Pull request #${String(number)}: ${String(title)} (${String(state).toLowerCase()})`)
    return /^https:\/\/[^\s"<>]+$/.test(String(url)) ? `<a href="${escapeHtml(String(url))}">${name}</a>` : name
  } catch {
    return ''
  }
}
