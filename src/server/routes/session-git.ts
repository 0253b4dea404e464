import { Git } from '../../git/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { gitState } from '../schemas/sessions.js'
import { sessionOf } from './active-session.js'

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
]
