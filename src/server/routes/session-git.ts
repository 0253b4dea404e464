import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import {
  commitAt,
  commitChanges,
  discardChanges,
  discardHunk,
  findInTree,
  imageAt,
  listTree,
  shareableDiff,
  uncommittedDiff,
} from '../../sessions/index.js'
import { forwarded } from '../forward.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { committed, discarded, fileTree, gitState, sessionDiff } from '../schemas/sessions.js'
import { sessionOf } from './active-session.js'

export const space = z
  .enum(['show', 'ignore'])
  .default('show')
  .describe('`ignore`: without changes of white space only')
const filePaths = z.array(z.string().min(1).max(4096)).max(5_000)
const DIFF_MAX = 4 * 1024 * 1024

export const sessionGitRoutes: readonly Route[] = [
  route({
    id: 'sessions.git',
    method: 'GET',
    path: '/sessions/:id/git',
    summary: 'Branch, commit and number of changed files of the session’s directory.',
    access: 'viewer',
    answers: { 200: answer('null outside a repository', gitState) },
    handle: async call => {
      const { params, json } = call
      const record = await sessionOf(call, params.id!)
      const elsewhere = await forwarded(call, record)
      if (elsewhere) return elsewhere
      const git = new Git(record.cwd)
      const files = await git.status().catch(() => null)
      if (!files) return json({ git: null })
      const untracked = files.filter(({ code }) => code === '??').length
      return json({
        git: { branch: await git.branch(), head: await git.head(), changed: files.length - untracked, untracked },
      })
    },
  }),
  route({
    id: 'sessions.diff',
    method: 'GET',
    path: '/sessions/:id/diff',
    summary: 'The changes in the session’s repository, with new files.',
    access: 'viewer',
    query: z.strictObject({
      against: z
        .enum(['head', 'start'])
        .default('head')
        .describe('the last commit, or the commit that was checked out when the session started'),
      space,
    }),
    answers: { 200: answer('a unified diff', sessionDiff) },
    handle: async call => {
      const { host, params, query, json } = call
      const record = await sessionOf(call, params.id!)
      const elsewhere = await forwarded(call, record)
      if (elsewhere) return elsewhere
      const git = await repositoryOf(record.cwd)
      const ignoresSpace = query.space === 'ignore'
      const start = query.against === 'start' ? await commitAt(git, record.startedAt) : null
      const [{ text, hidden }, changed, head] = await Promise.all([
        start === null
          ? uncommittedDiff(git, ignoresSpace)
          : shareableDiff(git, { from: start, hasUntracked: true, ignoresSpace }),
        git.status(),
        start ?? git.head(),
      ])
      const diff = host.redactor.redact(text.slice(0, DIFF_MAX))
      const uncommitted = changed.map(({ path }) => path)
      return json({ diff, isCut: text.length > DIFF_MAX, hidden, uncommitted, from: head })
    },
  }),
  route({
    id: 'sessions.image',
    method: 'GET',
    path: '/sessions/:id/image',
    summary: 'A changed image of the session’s repository, before or after the change.',
    access: 'viewer',
    query: z.strictObject({
      path: z.string().min(1).max(4096).describe('from the top of the working tree'),
      commit: z
        .string()
        .regex(/^[0-9a-f]{7,64}$/)
        .optional()
        .describe('if absent: as it is in the working tree'),
    }),
    answers: { 200: { description: 'its bytes', media: 'application/octet-stream' } },
    handle: async call => {
      const { params, query } = call
      const record = await sessionOf(call, params.id!)
      const elsewhere = await forwarded(call, record)
      if (elsewhere) return elsewhere
      return imageAnswer(await imageAt(await repositoryOf(record.cwd), query.path, query.commit ?? null))
    },
  }),
  route({
    id: 'sessions.commit',
    method: 'POST',
    path: '/sessions/:id/commit',
    summary: 'Commits changes in the session’s repository, without running its hooks.',
    access: 'approver',
    body: z.strictObject({
      message: z.string().trim().min(1).max(10_000),
      files: filePaths.default([]).describe('paths from the top of the working tree; none: all changes'),
    }),
    answers: { 200: answer('the new commit', committed) },
    handle: async call => {
      const record = await sessionOf(call, call.params.id!)
      const elsewhere = await forwarded(call, record)
      return elsewhere ?? call.json(await commitChanges(await repositoryOf(record.cwd), call.body))
    },
  }),
  route({
    id: 'sessions.discard',
    method: 'POST',
    path: '/sessions/:id/discard',
    summary: 'Takes files back to the last commit and deletes new ones; their state before is kept in git.',
    access: 'approver',
    body: z.union([
      z.strictObject({ files: filePaths.min(1) }),
      z.strictObject({
        hunk: z
          .strictObject({
            file: z.string().min(1).max(4096),
            header: z.string().startsWith('@@ ').max(2_000),
            lines: z.array(z.string()).max(100_000),
          })
          .describe('one part of an uncommitted change, with its lines as sessions.diff answered them'),
      }),
    ]),
    answers: { 200: answer('what was discarded', discarded) },
    handle: async call => {
      const { host, params, body, json } = call
      const record = await sessionOf(call, params.id!)
      const elsewhere = await forwarded(call, record)
      if (elsewhere) return elsewhere
      const git = await repositoryOf(record.cwd)
      const now = host.clock.now()
      if ('files' in body) return json(await discardChanges(git, body.files, now))
      return json(await discardHunk(git, body.hunk, { now, redact: text => host.redactor.redact(text) }))
    },
  }),
  route({
    id: 'sessions.tree',
    method: 'GET',
    path: '/sessions/:id/tree',
    summary: 'A directory of the session’s project, or the files whose path contains the given words.',
    access: 'viewer',
    query: z.strictObject({
      path: z.string().max(4096).default('').describe('relative to the project'),
      q: z.string().max(200).optional().describe('searches the names of all files that git does not ignore'),
    }),
    answers: { 200: answer('the entries', fileTree) },
    handle: async call => {
      const { params, query, json } = call
      const record = await sessionOf(call, params.id!)
      const elsewhere = await forwarded(call, record)
      if (elsewhere) return elsewhere
      const { cwd, project } = record
      if (query.q === undefined || query.q.trim() === '') return json(await listTree(project, query.path))
      return json(await findInTree(await repositoryOf(cwd), query.q))
    },
  }),
]

/** An attachment: nothing of a repository is shown as a page of this server. */
export function imageAnswer(bytes: Buffer): Response {
  return new Response(new Uint8Array(bytes), {
    headers: { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' },
  })
}

/** @throws SignalboxError `E_STATE` outside a repository. */
async function repositoryOf(cwd: string): Promise<Git> {
  const git = new Git(cwd)
  if ((await git.root().catch(() => null)) !== null) return git
  throw new SignalboxError('E_STATE', `${cwd} is not in a git repository`, { next: 'git init creates one' })
}
