import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
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

/** What is printed: on standard output, or with another code than 0 on standard error. */
type Answer = { code: number; said: string }

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
  /** What happens to a pull request in the moment in which it is opened, by its branch. */
  readonly onOpened = new Map<string, (pull: FakePull) => void>()
  readonly #server: Server
  readonly #remote: string
  #ids = 100

  private constructor(remote: string) {
    this.#remote = remote
    this.#server = createServer(socket => this.#serve(socket))
  }

  /** @param bin where the `gh` program is written. */
  static async open(remote: string, bin: string): Promise<FakeGithub> {
    const fake = new FakeGithub(remote)
    await new Promise<void>(resolve => fake.#server.listen(0, '127.0.0.1', resolve))
    const { port } = fake.#server.address() as AddressInfo
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'gh'), program(port))
    chmodSync(join(bin, 'gh'), 0o755)
    return fake
  }

  async close(): Promise<void> {
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

  pullsOf(branch: string): FakePull[] {
    return [...this.pulls.values()].filter(pull => pull.branch === branch)
  }

  /** What a call would change, and on which branch; null for a call that only reads. */
  writes(args: readonly string[]): { name: string; branch: string } | null {
    const [group, verb, number] = args
    const option = (name: string) => args[args.indexOf(name) + 1]!
    if (group === 'pr' && verb === 'create') return { name: 'gh pr create', branch: option('--head') }
    const pulls = [...this.pulls.values()]
    if (group === 'pr' && (verb === 'comment' || verb === 'merge')) {
      const name = `gh pr ${verb} ${verb === 'comment' ? (option('--body').match(/ (\S+) -->$/)?.[1] ?? '') : ''}`
      return { name, branch: this.#pull(number!).branch }
    }
    const mutation = /query=mutation[^{]*\{\s*(\w+)/.exec(args.find(word => word.startsWith('query=')) ?? '')?.[1]
    const id = args.find(word => word.startsWith('thread='))?.slice('thread='.length)
    const pull = pulls.find(({ threads }) => threads.some(thread => thread.id === id))
    return mutation && pull ? { name: `gh ${mutation} ${id}`, branch: pull.branch } : null
  }

  head(branch: string): string {
    return execFileSync('git', ['rev-parse', `refs/heads/${branch}`], { cwd: this.#remote, encoding: 'utf8' }).trim()
  }

  /** A call: the number of its arguments and the arguments, each followed by a zero byte. */
  #serve(socket: Socket): void {
    let text = ''
    socket.setEncoding('utf8').on('data', part => {
      text += part
      const [count, ...args] = text.split('\0')
      if (args.length <= Number(count)) return
      const { code, said } = this.#answer(args.slice(0, Number(count)))
      socket.end(`${code}\n${said}`)
    })
    // A caller that was killed.
    socket.on('error', () => undefined)
  }

  #answer(args: string[]): Answer {
    this.calls.push(args)
    try {
      this.onCall(args, 'before')
      if (this.limited > 0) {
        this.limited--
        throw new Error('gh: API rate limit exceeded for user ID 1. (HTTP 403)')
      }
      const reply = this.#run(args)
      this.onCall(args, 'after')
      return { code: 0, said: typeof reply === 'string' ? reply : JSON.stringify(reply) }
    } catch (error) {
      return { code: 1, said: `${(error as Error).message}\n` }
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
      this.onOpened.get(pull.branch)?.(pull)
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

/** Sends its arguments to the fake, and prints what it says. A shell starts faster than Node. */
function program(port: number): string {
  return `#!/usr/bin/env bash
exec 3<> /dev/tcp/127.0.0.1/${port} || exit 1
{ printf '%d\\0' $#; printf '%s\\0' "$@"; } >&3
read -r code <&3 || exit 1
if [ "$code" = 0 ]; then cat <&3; else cat <&3 >&2; fi
exit "$code"
`
}
