import { z } from 'zod'
import { parseAnswer } from '../trackers/tracker.js'
import { type Check, type Forge, forgeOutput, type Pull, type PullComment, type RunForge } from './forge.js'

const requestAnswer = z.object({
  iid: z.int(),
  web_url: z.string(),
  title: z.string(),
  state: z.string(),
  draft: z.boolean(),
  target_branch: z.string(),
  source_branch: z.string(),
  sha: z.string().nullable(),
  source_project_id: z.int(),
  target_project_id: z.int(),
  allow_maintainer_to_push: z.boolean().nullable().optional(),
  has_conflicts: z.boolean().default(false),
  detailed_merge_status: z.string().default(''),
  head_pipeline: z.object({ id: z.int() }).nullable().optional(),
})

const discussion = z.object({
  id: z.string(),
  individual_note: z.boolean(),
  notes: z.array(
    z.object({
      id: z.int(),
      body: z.string(),
      system: z.boolean(),
      author: z.object({ username: z.string(), bot: z.boolean().optional() }),
      resolvable: z.boolean().default(false),
      resolved: z.boolean().default(false),
      position: z.object({ new_path: z.string().nullable(), new_line: z.int().nullable() }).nullable().optional(),
    }),
  ),
})

const jobAnswer = z.object({ id: z.int(), name: z.string(), status: z.string(), allow_failure: z.boolean() })

/** GitLab, through `glab`. `:id` is filled in by glab: the project of the repository. */
export function gitlabForge(run: RunForge): Forge {
  const glab = (args: readonly string[], what: string) => forgeOutput('glab', run, args, what)
  const api = async <T>(schema: z.ZodType<T>, path: string, what: string): Promise<T> =>
    parseAnswer(schema, await glab(['api', path], what), `the answer of glab about ${what}`)
  const pathOf = (number: number) => `projects/:id/merge_requests/${number}`
  const read = (number: number) => api(requestAnswer, pathOf(number), `merge request ${number}`)
  const put = (method: string, path: string, fields: readonly string[], what: string) =>
    glab(['api', '--method', method, path, ...fields.flatMap(field => ['-f', field])], what)

  /** All pages; a page is shorter than asked for only at the end. */
  async function pages<T>(schema: z.ZodType<T>, path: string, what: string): Promise<T[]> {
    const found: T[] = []
    for (let page = 1; ; page++) {
      const list = await api(z.array(schema), `${path}?per_page=100&page=${page}`, what)
      found.push(...list)
      if (list.length < 100) return found
    }
  }

  return {
    name: 'gitlab',
    get: async number => pullOf(await read(number)),
    async find(branch) {
      const path = `projects/:id/merge_requests?source_branch=${encodeURIComponent(branch)}&order_by=created_at`
      const found = (await api(z.array(requestAnswer), path, `the merge request of ${branch}`)).map(pullOf)
      return found.find(({ state }) => state === 'open') ?? found[0] ?? null
    },
    async open({ title, body, base, branch, isDraft, labels, reviewers }) {
      const url = await glab(
        [
          'mr',
          'create',
          '--yes',
          '--title',
          title,
          '--description',
          body,
          '--target-branch',
          base,
          '--source-branch',
          branch,
          ...(isDraft ? ['--draft'] : []),
          ...labels.flatMap(label => ['--label', label]),
          ...reviewers.flatMap(reviewer => ['--reviewer', reviewer]),
        ],
        `a merge request for ${branch}`,
      )
      return pullOf(await read(Number(/\/merge_requests\/(\d+)/.exec(url)?.[1])))
    },
    async view(number) {
      const what = `merge request ${number}`
      const request = await read(number)
      const jobs = request.head_pipeline
        ? await pages(jobAnswer, `projects/:id/pipelines/${request.head_pipeline.id}/jobs`, `the jobs of ${what}`)
        : []
      const all = await pages(discussion, `${pathOf(number)}/discussions`, `the threads of ${what}`)
      const spoken = all
        .map(entry => ({ ...entry, notes: entry.notes.filter(({ system }) => !system) }))
        .filter(({ notes }) => notes.length > 0)
      return {
        ...pullOf(request),
        hasConflict: request.has_conflicts,
        isApproved: request.detailed_merge_status !== 'not_approved',
        checks: jobs.map(checkOf),
        threads: spoken
          .filter(({ notes }) => notes[0]!.resolvable)
          .map(({ id, notes }) => ({
            id,
            path: notes[0]!.position?.new_path ?? '',
            line: notes[0]!.position?.new_line ?? null,
            isResolved: notes[0]!.resolved,
            comments: notes.map(commentOf),
          })),
        comments: spoken.filter(({ notes }) => !notes[0]!.resolvable).flatMap(({ notes }) => notes.map(commentOf)),
      }
    },
    async log({ job }) {
      return job === null ? '' : glab(['api', `projects/:id/jobs/${job}/trace`], `the log of job ${job}`)
    },
    async reply(number, thread, body) {
      await put('POST', `${pathOf(number)}/discussions/${thread}/notes`, [`body=${body}`], `merge request ${number}`)
    },
    async comment(number, body) {
      await put('POST', `${pathOf(number)}/notes`, [`body=${body}`], `merge request ${number}`)
    },
    async resolve(number, thread) {
      await put('PUT', `${pathOf(number)}/discussions/${thread}`, ['resolved=true'], `merge request ${number}`)
    },
    async merge(number, head, method) {
      // Whether a merge request is merged or rebased is a setting of the project.
      const squash = method === 'squash' ? ['squash=true'] : []
      await put('PUT', `${pathOf(number)}/merge`, [`sha=${head}`, ...squash], `merge request ${number}`)
    },
  }
}

function pullOf(answer: z.infer<typeof requestAnswer>): Pull {
  const isForeign = answer.source_project_id !== answer.target_project_id
  return {
    number: answer.iid,
    url: answer.web_url,
    title: answer.title,
    state: answer.state === 'merged' ? 'merged' : answer.state === 'opened' ? 'open' : 'closed',
    isDraft: answer.draft,
    base: answer.target_branch,
    branch: answer.source_branch,
    head: answer.sha ?? '',
    pushUrl: null,
    // The address of a fork is not part of the answer.
    isReadOnly: isForeign,
  }
}

function commentOf({ id, body, author }: z.infer<typeof discussion>['notes'][number]): PullComment {
  // The public API marks bots only in newer versions; their names follow a pattern.
  const isBot = author.bot ?? /^(project|group)_\d+_bot|bot$/i.test(author.username)
  return { id: `n${id}`, body, author: author.username, isBot }
}

const PENDING = new Set(['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled'])

function checkOf({ id, name, status, allow_failure: mayFail }: z.infer<typeof jobAnswer>): Check {
  const state = PENDING.has(status) ? 'pending' : status === 'failed' && !mayFail ? 'failed' : 'passed'
  return { name, state, job: String(id) }
}
