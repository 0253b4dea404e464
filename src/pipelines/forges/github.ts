import { z } from 'zod'
import { parseAnswer } from '../trackers/tracker.js'
import { type Check, type Forge, forgeOutput, type Pull, type RunForge, type Thread } from './forge.js'

const PULL_FIELDS =
  'number,url,title,state,isDraft,baseRefName,headRefName,headRefOid,isCrossRepository,maintainerCanModify,headRepositoryOwner,headRepository'

const pullAnswer = z.object({
  number: z.int(),
  url: z.string(),
  title: z.string(),
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  isDraft: z.boolean(),
  baseRefName: z.string(),
  headRefName: z.string(),
  headRefOid: z.string(),
  isCrossRepository: z.boolean(),
  maintainerCanModify: z.boolean(),
  headRepositoryOwner: z.object({ login: z.string() }).nullable(),
  headRepository: z.object({ name: z.string() }).nullable(),
})

/** A check run of GitHub Actions or an app, or a commit status of the older kind. */
const rollup = z.union([
  z.object({
    __typename: z.literal('CheckRun'),
    name: z.string(),
    status: z.string(),
    conclusion: z.string().nullable(),
    detailsUrl: z.string().nullable().optional(),
  }),
  z.object({ __typename: z.literal('StatusContext'), context: z.string(), state: z.string() }),
])

const viewAnswer = pullAnswer.extend({
  mergeable: z.string(),
  reviewDecision: z.string().nullable(),
  statusCheckRollup: z.array(rollup).nullable(),
})

const author = z.object({ login: z.string(), __typename: z.string() }).nullable()
const threadsAnswer = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        reviewThreads: z.object({
          pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
          nodes: z.array(
            z.object({
              id: z.string(),
              isResolved: z.boolean(),
              path: z.string(),
              line: z.int().nullable(),
              comments: z.object({ nodes: z.array(z.object({ id: z.string(), body: z.string(), author })) }),
            }),
          ),
        }),
      }),
    }),
  }),
})

const restComments = z.array(
  z.object({
    id: z.int(),
    body: z.string().nullable(),
    user: z.object({ login: z.string(), type: z.string() }).nullable(),
  }),
)

const THREADS = `query($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved path line comments(last: 100) { nodes { id body author { login __typename } } } }
    } } } }`
const REPLY = `mutation($thread: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $thread, body: $body}) { comment { id } } }`
const RESOLVE = `mutation($thread: ID!) { resolveReviewThread(input: {threadId: $thread}) { thread { id } } }`

/** GitHub, through `gh`. `{owner}` and `{repo}` are filled in by gh from the remotes. */
export function githubForge(run: RunForge): Forge {
  const gh = (args: readonly string[], what: string) => forgeOutput('gh', run, args, what)
  const parse = <T>(schema: z.ZodType<T>, text: string, what: string) =>
    parseAnswer(schema, text, `the answer of gh about ${what}`)
  const rest = async (path: string, what: string) => {
    // With --slurp, gh puts the pages into one array.
    const pages = await gh(['api', '--paginate', '--slurp', path], what)
    return parse(z.array(restComments), pages, what).flat()
  }
  const get = async (number: number) => {
    const what = `pull request ${number}`
    return pullOf(parse(pullAnswer, await gh(['pr', 'view', String(number), '--json', PULL_FIELDS], what), what))
  }

  async function threads(number: number): Promise<Thread[]> {
    const found: Thread[] = []
    for (let after: string | null = null; ; ) {
      const what = `the threads of pull request ${number}`
      const next: string[] = after === null ? [] : ['-f', `after=${after}`]
      const fields = ['-F', 'owner={owner}', '-F', 'repo={repo}', '-F', `number=${number}`, ...next]
      const answer = parse(threadsAnswer, await gh(['api', 'graphql', ...fields, '-f', `query=${THREADS}`], what), what)
      const { nodes, pageInfo } = answer.data.repository.pullRequest.reviewThreads
      for (const { id, path, line, isResolved, comments } of nodes)
        found.push({
          id,
          path,
          line,
          isResolved,
          comments: comments.nodes.map(({ id: comment, body, author: by }) => ({
            id: comment,
            body,
            author: by?.login ?? 'ghost',
            isBot: by?.__typename === 'Bot',
          })),
        })
      if (!pageInfo.hasNextPage) return found
      after = pageInfo.endCursor
    }
  }

  return {
    name: 'github',
    get,
    async find(branch) {
      const what = `the pull request of ${branch}`
      const args = ['pr', 'list', '--head', branch, '--state', 'all', '--limit', '10', '--json', PULL_FIELDS]
      const found = parse(z.array(pullAnswer), await gh(args, what), what).map(pullOf)
      return found.find(({ state }) => state === 'open') ?? found[0] ?? null
    },
    async open({ title, body, base, branch, isDraft, labels, reviewers }) {
      const url = await gh(
        [
          'pr',
          'create',
          '--title',
          title,
          '--body',
          body,
          '--base',
          base,
          '--head',
          branch,
          ...(isDraft ? ['--draft'] : []),
          ...labels.flatMap(label => ['--label', label]),
          ...reviewers.flatMap(reviewer => ['--reviewer', reviewer]),
        ],
        `a pull request for ${branch}`,
      )
      return get(Number(/\/pull\/(\d+)\s*$/.exec(url)?.[1]))
    },
    async view(number) {
      const what = `pull request ${number}`
      const fields = `${PULL_FIELDS},mergeable,reviewDecision,statusCheckRollup`
      const view = parse(viewAnswer, await gh(['pr', 'view', String(number), '--json', fields], what), what)
      const comments = await rest(`repos/{owner}/{repo}/issues/${number}/comments`, `comments of ${what}`)
      const reviews = await rest(`repos/{owner}/{repo}/pulls/${number}/reviews`, `reviews of ${what}`)
      const commentsOf = (kind: string, list: z.infer<typeof restComments>) =>
        list
          .filter(({ body }) => (body ?? '').trim() !== '')
          .map(({ id, body, user }) => ({
            id: `${kind}${id}`,
            body: body ?? '',
            author: user?.login ?? 'ghost',
            isBot: user?.type === 'Bot',
          }))
      return {
        ...pullOf(view),
        hasConflict: view.mergeable === 'CONFLICTING',
        isApproved: view.reviewDecision === 'APPROVED' || view.reviewDecision === '' || view.reviewDecision === null,
        checks: (view.statusCheckRollup ?? []).map(checkOf),
        threads: await threads(number),
        comments: [...commentsOf('c', comments), ...commentsOf('r', reviews)],
      }
    },
    async log({ job }) {
      const id = /\/job\/(\d+)/.exec(job ?? '')?.[1]
      return id === undefined ? '' : gh(['run', 'view', '--job', id, '--log-failed'], `the log of job ${id}`)
    },
    async reply(number, thread, body) {
      const fields = ['-f', `thread=${thread}`, '-f', `body=${body}`, '-f', `query=${REPLY}`]
      await gh(['api', 'graphql', ...fields], `an answer in pull request ${number}`)
    },
    async comment(number, body) {
      await gh(['pr', 'comment', String(number), '--body', body], `a comment on pull request ${number}`)
    },
    async resolve(number, thread) {
      const fields = ['-f', `thread=${thread}`, '-f', `query=${RESOLVE}`]
      await gh(['api', 'graphql', ...fields], `a thread of pull request ${number}`)
    },
    async merge(number, head, method) {
      const args = ['pr', 'merge', String(number), `--${method}`, '--match-head-commit', head]
      await gh(args, `the merge of pull request ${number}`)
    },
  }
}

function pullOf(answer: z.infer<typeof pullAnswer>): Pull {
  const { headRepositoryOwner: owner, headRepository: repository, isCrossRepository: isForeign } = answer
  const host = /^https:\/\/([^/]+)\//.exec(answer.url)?.[1] ?? 'github.com'
  return {
    number: answer.number,
    url: answer.url,
    title: answer.title,
    state: answer.state.toLowerCase() as Pull['state'],
    isDraft: answer.isDraft,
    base: answer.baseRefName,
    branch: answer.headRefName,
    head: answer.headRefOid,
    pushUrl: isForeign && owner && repository ? `https://${host}/${owner.login}/${repository.name}.git` : null,
    isReadOnly: isForeign && (!answer.maintainerCanModify || !owner || !repository),
  }
}

const FAILED = new Set(['FAILURE', 'ERROR', 'TIMED_OUT', 'STARTUP_FAILURE', 'ACTION_REQUIRED'])

function checkOf(entry: z.infer<typeof rollup>): Check {
  if (entry.__typename === 'StatusContext') return { name: entry.context, state: stateOf(entry.state), job: null }
  const { name, status, conclusion, detailsUrl } = entry
  return { name, state: status === 'COMPLETED' ? stateOf(conclusion ?? '') : 'pending', job: detailsUrl ?? null }
}

function stateOf(word: string): Check['state'] {
  if (word === 'PENDING' || word === 'EXPECTED') return 'pending'
  return FAILED.has(word) ? 'failed' : 'passed'
}
