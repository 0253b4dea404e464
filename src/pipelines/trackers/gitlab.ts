import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { notStarted } from '../forges/forge.js'
import { parseAnswer, type Tracker, type TrackerServices } from './tracker.js'

const issueAnswer = z.object({
  iid: z.int(),
  title: z.string(),
  description: z.string().nullable(),
  state: z.string(),
  web_url: z.string(),
})

/**
 * GitLab issues, through the `glab` program and its login. `glab api` replaces `:id` by the project
 * of the repository that it is called in.
 */
export function gitlabTracker(services: TrackerServices): Tracker {
  return {
    name: 'gitlab',
    async fetch(reference) {
      const { number, project } = parseReference(reference)
      const text = await glab(services, [`projects/${project}/issues/${number}`], `issue ${number}`)
      const found = parseAnswer(issueAnswer, text, `the answer of glab about issue ${number}`)
      return {
        issue: {
          id: String(found.iid),
          title: found.title,
          description: found.description ?? '',
          status: found.state,
          url: found.web_url,
        },
        warning: found.state === 'closed' ? `issue ${number} is closed` : null,
      }
    },
    async comment(issue, marker, text) {
      const { project } = parseReference(issue.url ?? issue.id)
      const path = `projects/${project}/issues/${issue.id}/notes`
      const known = await glab(services, ['--paginate', `${path}?per_page=100`], `issue ${issue.id}`)
      if (known.includes(marker)) return null
      const body = `${text}\n\n<!-- ${marker} -->`
      await glab(services, ['--method', 'POST', path, '--raw-field', `body=${body}`], `issue ${issue.id}`)
      return issue.url ?? null
    },
  }
}

/** The number of an issue, and its project: that of the repository, or the one of a URL. */
function parseReference(reference: string): { number: string; project: string } {
  const url = /^https?:\/\/[^/]+\/(.+?)\/(?:-\/)?(?:issues|work_items)\/(\d+)(?:[/?#].*)?$/.exec(reference)
  if (url) return { number: url[2]!, project: encodeURIComponent(url[1]!) }
  const number = /^(?:gl:)?#?(\d+)$/i.exec(reference)?.[1]
  if (number !== undefined) return { number, project: ':id' }
  throw new SignalboxError('E_INPUT', `"${reference}" is not a GitLab issue`, {
    next: 'use gl:12, or the URL of the issue',
  })
}

async function glab(services: TrackerServices, args: readonly string[], what: string): Promise<string> {
  const { code, stdout, stderr } = await services.run('glab', ['api', ...args]).catch(error => {
    throw new SignalboxError('E_PROGRAM_MISSING', notStarted('glab', error), {
      next: 'install the GitLab CLI (https://gitlab.com/gitlab-org/cli), or give the issue as a file',
      cause: error,
    })
  })
  if (code === 0) return stdout
  const message = (stderr.trim() || stdout.trim()).split('\n')[0] ?? ''
  if (/401|403|not logged in|no token/i.test(message))
    throw new SignalboxError('E_NOT_SIGNED_IN', `glab is not signed in: ${message}`, { next: 'glab auth login' })
  const isMissing = /404|not found/i.test(message)
  throw new SignalboxError(
    isMissing ? 'E_UNKNOWN' : 'E_TRACKER',
    `${isMissing ? 'glab did not find' : 'glab failed for'} ${what}: ${message}`,
    {
      next: isMissing ? 'check the number, and which repository you are in' : 'try again; nothing was started',
    },
  )
}
