import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { uncommittedDiff } from '../../sessions/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { gitState, sessionDiff } from '../schemas/sessions.js'
import { sessionOf } from './active-session.js'

const DIFF_MAX = 2 * 1024 * 1024

export const sessionGitRoutes: readonly Route[] = [
  route({
    id: 'sessions.git',
    method: 'GET',
    path: '/sessions/:id/git',
    summary: 'Branch, commit and number of changed files of the session’s directory.',
    access: 'viewer',
    answers: { 200: answer('null outside of a repository', gitState) },
    handle: async ({ host, person, params, json }) => {
      const { cwd } = await sessionOf({ host, person }, params.id!)
      const git = new Git(cwd)
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
    summary: 'The uncommitted changes in the session’s repository, with new files.',
    access: 'viewer',
    answers: { 200: answer('a unified diff', sessionDiff) },
    handle: async ({ host, person, params, json }) => {
      const { cwd } = await sessionOf({ host, person }, params.id!)
      const git = new Git(cwd)
      if ((await git.root().catch(() => null)) === null)
        throw new SignalboxError('E_STATE', `${cwd} is not in a git repository`, { next: 'git init creates one' })
      const { text, hidden } = await uncommittedDiff(git)
      const diff = host.redactor.redact(text.slice(0, DIFF_MAX))
      return json({ diff, isCut: text.length > DIFF_MAX, hidden })
    },
  }),
]
