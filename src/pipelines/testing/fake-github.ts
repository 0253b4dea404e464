import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

interface FakeComment {
  id: number
  author: string
  isBot: boolean
  body: string
}

export interface FakePull {
  number: number
  title: string
  body: string
  base: string
  branch: string
  isDraft: boolean
  labels: string[]
  reviewers: string[]
  state: 'OPEN' | 'CLOSED' | 'MERGED'
  mergeable: 'MERGEABLE' | 'CONFLICTING'
  reviewDecision: string
  checks: Map<string, 'SUCCESS' | 'FAILURE' | 'PENDING'>
  comments: FakeComment[]
  threads: { id: string; path: string; line: number; isResolved: boolean; comments: FakeComment[] }[]
}

type Answer = { code: number; stdout: string; stderr: string }

/**
 * GitHub with a state, and a `gh` program that asks it. The commands, their options and the shape
 * of their answers are those of the manual of gh and of GitHub's REST and GraphQL descriptions. The
 * branches are those of a real bare repository.
 */
export class FakeGithub {
  readonly pulls = new Map<number, FakePull>()
  readonly calls: string[][] = []
  /** The next calls are refused with a rate limit. */
  limited = 0
  /** Called before a call is answered, and after it has had its effect. */
  onCall: (args: readonly string[], when: 'before' | 'after') => void = () => undefined
  readonly #server: Server
  readonly #remote: string
  #ids = 100

  private constructor(remote: string) {
    this.#remote = remote
    this.#server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      response.end(JSON.stringify(this.#answer(JSON.parse(text) as string[])))
    })
  }

  /** @param bin where the `gh` program is written. */
  static async open(remote: string, bin: string): Promise<FakeGithub> {
    const fake = new FakeGithub(remote)
    await new Promise<void>(resolve => fake.#server.listen(0, '127.0.0.1', resolve))
    const { port } = fake.#server.address() as AddressInfo
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'gh'), program(process.execPath, port))
    chmodSync(join(bin, 'gh'), 0o755)
    return fake
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** Opens a pull request for a branch that is already there. */
  add(pull: Partial<FakePull> & { branch: string }): FakePull {
    const number = this.pulls.size + 1
    const made: FakePull = {
      number,
      title: pull.branch,
      body: '',
      base: 'main',
      isDraft: false,
      labels: [],
      reviewers: [],
      state: 'OPEN',
      mergeable: 'MERGEABLE',
      reviewDecision: 'APPROVED',
      checks: new Map(),
      comments: [],
      threads: [],
      ...pull,
    }
    this.pulls.set(number, made)
    return made
  }

  comment(pull: FakePull, author: string, body: string): void {
    pull.comments.push(this.#comment(author, body))
  }

  thread(pull: FakePull, author: string, body: string, path = 'a.txt', line = 1): void {
    pull.threads.push({
      id: `PRRT_${this.#ids++}`,
      path,
      line,
      isResolved: false,
      comments: [this.#comment(author, body)],
    })
  }

  #comment(author: string, body: string): FakeComment {
    return { id: this.#ids++, author, isBot: author.endsWith('[bot]'), body }
  }

  head(branch: string): string {
    return execFileSync('git', ['rev-parse', `refs/heads/${branch}`], { cwd: this.#remote, encoding: 'utf8' }).trim()
  }

  #answer(args: string[]): Answer {
    this.calls.push(args)
    this.onCall(args, 'before')
    if (this.limited > 0) {
      this.limited--
      return { code: 1, stdout: '', stderr: 'gh: API rate limit exceeded for user ID 1. (HTTP 403)\n' }
    }
    try {
      const said = this.#run(args)
      this.onCall(args, 'after')
      return { code: 0, stdout: typeof said === 'string' ? said : JSON.stringify(said), stderr: '' }
    } catch (error) {
      return { code: 1, stdout: '', stderr: `${(error as Error).message}\n` }
    }
  }

  #run(args: string[]): unknown {
    const [group, verb] = args
    const option = (name: string) => args[args.indexOf(name) + 1]!
    const all = (name: string) => args.flatMap((word, at) => (word === name ? [args[at + 1]!] : []))
    if (group === 'auth') return ''
    if (group === 'run') return `job ${option('--job')}\tError: expected 2, got 1\n`
    if (group === 'pr' && verb === 'list')
      return [...this.pulls.values()].filter(({ branch }) => branch === option('--head')).map(pull => this.#view(pull))
    if (group === 'pr' && verb === 'create') {
      if ([...this.pulls.values()].some(({ branch, state }) => branch === option('--head') && state === 'OPEN'))
        throw new Error(`a pull request for branch "${option('--head')}" into branch "main" already exists`)
      this.head(option('--head'))
      const pull = this.add({
        branch: option('--head'),
        title: option('--title'),
        body: option('--body'),
        base: option('--base'),
        isDraft: args.includes('--draft'),
        labels: all('--label'),
        reviewers: all('--reviewer'),
      })
      return `https://github.com/o/r/pull/${pull.number}\n`
    }
    if (group === 'pr') return this.#pr(verb!, this.#pull(args[2]!), option)
    if (verb === 'graphql') return this.#graphql(new Map(all('-f').concat(all('-F')).map(pair)))
    const match = /repos\/\{owner\}\/\{repo\}\/(issues|pulls)\/(\d+)\/(comments|reviews)/.exec(args.at(-1)!)
    if (group !== 'api' || !match) throw new Error(`unknown command "${args.join(' ')}"`)
    if (match[3] === 'reviews') return [[]]
    const rest = this.#pull(match[2]!).comments.map(({ id, body, author, isBot }) => ({
      id,
      body,
      user: { login: author, type: isBot ? 'Bot' : 'User' },
    }))
    // Pages of 30, as --slurp gives them.
    return Array.from({ length: Math.max(1, Math.ceil(rest.length / 30)) }, (_, page) =>
      rest.slice(page * 30, page * 30 + 30),
    )
  }

  #pr(verb: string, pull: FakePull, option: (name: string) => string): unknown {
    if (verb === 'view') return this.#view(pull)
    if (verb === 'comment') {
      this.comment(pull, 'me', option('--body'))
      return `https://github.com/o/r/pull/${pull.number}#issuecomment-1\n`
    }
    if (verb !== 'merge') throw new Error(`unknown command "pr ${verb}"`)
    if (option('--match-head-commit') !== this.head(pull.branch)) throw new Error('Head branch was modified.')
    pull.state = 'MERGED'
    return ''
  }

  #graphql(fields: Map<string, string>): unknown {
    const query = fields.get('query')!
    const thread = [...this.pulls.values()]
      .flatMap(({ threads }) => threads)
      .find(({ id }) => id === fields.get('thread'))
    if (query.includes('addPullRequestReviewThreadReply')) {
      thread!.comments.push(this.#comment('me', fields.get('body')!))
      return { data: {} }
    }
    if (query.includes('resolveReviewThread')) {
      thread!.isResolved = true
      return { data: {} }
    }
    const { threads } = this.#pull(fields.get('number')!)
    const from = Number(fields.get('after') ?? 0)
    const nodes = threads.slice(from, from + 100).map(({ comments, ...rest }) => ({
      ...rest,
      comments: {
        nodes: comments.map(({ id, body, author, isBot }) => ({
          id: `PRRC_${id}`,
          body,
          author: { login: author, __typename: isBot ? 'Bot' : 'User' },
        })),
      },
    }))
    const pageInfo = { hasNextPage: from + 100 < threads.length, endCursor: String(from + 100) }
    return { data: { repository: { pullRequest: { reviewThreads: { pageInfo, nodes } } } } }
  }

  #pull(word: string): FakePull {
    const pull = this.pulls.get(Number(word))
    if (!pull) throw new Error(`GraphQL: Could not resolve to a PullRequest with the number of ${word}.`)
    return pull
  }

  #view({ number, title, state, isDraft, base, branch, mergeable, reviewDecision, checks }: FakePull) {
    return {
      number,
      url: `https://github.com/o/r/pull/${number}`,
      title,
      state,
      isDraft,
      baseRefName: base,
      headRefName: branch,
      headRefOid: this.head(branch),
      isCrossRepository: false,
      maintainerCanModify: false,
      headRepositoryOwner: { login: 'o' },
      headRepository: { name: 'r' },
      mergeable,
      reviewDecision,
      statusCheckRollup: [...checks].map(([name, end], at) => ({
        __typename: 'CheckRun',
        name,
        status: end === 'PENDING' ? 'IN_PROGRESS' : 'COMPLETED',
        conclusion: end === 'PENDING' ? '' : end,
        detailsUrl: `https://github.com/o/r/actions/runs/1/job/${at + 1}`,
      })),
    }
  }
}

function pair(field: string): [string, string] {
  const at = field.indexOf('=')
  return [field.slice(0, at), field.slice(at + 1)]
}

/** Sends its arguments to the fake, and answers what it says. */
function program(node: string, port: number): string {
  return `#!${node}
const { request } = require('node:http')
const asked = request({ host: '127.0.0.1', port: ${port}, method: 'POST' }, answer => {
  let text = ''
  answer.on('data', part => (text += part))
  answer.on('end', () => {
    const { code, stdout, stderr } = JSON.parse(text)
    process.stderr.write(stderr)
    process.stdout.write(stdout, () => process.exit(code))
  })
})
asked.on('error', error => { process.stderr.write(String(error)); process.exit(1) })
asked.end(JSON.stringify(process.argv.slice(2)))
`
}
