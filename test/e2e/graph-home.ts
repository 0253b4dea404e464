import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { executableFiles } from '../../src/trust/index.js'
import { firstRepository } from '../support/first-repository.js'
import { type CommandRun, parseLines } from './harness.js'
import { InsideHome } from './inside.js'

interface RunEvent {
  type: string
  data: Record<string, unknown>
}

/** A home whose project is a repository with graphs in it. */
export class GraphHome extends InsideHome {
  constructor() {
    super()
    firstRepository(this.work)
  }

  /** The project as it was first, and an agent that knows nothing, for the next test. */
  reset(): void {
    for (const name of ['work', 'demo', 'scenario.json'])
      rmSync(join(this.directory, name), { recursive: true, force: true })
    firstRepository(this.work)
  }

  git(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: this.work, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  commit(message: string): void {
    this.git('add', '.')
    this.git('commit', '-q', '-m', message)
  }

  write(name: string, text: string): string {
    writeFileSync(join(this.work, name), text)
    return name
  }

  /** Writes a graph with the start and exit nodes that every graph has. */
  graph(text: string, name = 'flow.dot'): string {
    return this.write(name, `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; ${text} }`)
  }

  /** The environment of the demo agent, which follows a scenario or improvises. */
  demo(scenario?: object): Record<string, string> {
    const file = join(this.directory, 'scenario.json')
    if (scenario) writeFileSync(file, JSON.stringify({ name: 'test', headless: { auto: true }, ...scenario }))
    return {
      SIGNALBOX_DEMO_HOME: join(this.directory, 'demo'),
      SIGNALBOX_DEMO_SPEED: '0',
      ...(scenario && { SIGNALBOX_DEMO_SCENARIO: file }),
    }
  }

  /** The option by which a person trusts these files: a test wrote them. */
  async trust(file: string, others: string[] = []): Promise<string[]> {
    const paths = others.map(name => join(this.work, name))
    return ['--trust', (await executableFiles(join(this.work, file), paths)).hash]
  }

  /** Runs a graph, and everything that its module names, as trusted files. */
  async runGraph(args: string[], { scenario, env = {} }: { scenario?: object; env?: Record<string, string> } = {}) {
    const at = args.indexOf('--handlers')
    const trusted = await this.trust(args[0]!, at < 0 ? [] : [args[at + 1]!])
    const ran = await this.run(['run', ...args, ...trusted, '--json'], { env: { ...this.demo(scenario), ...env } })
    return described(ran)
  }

  async resume(id: string, args: string[] = []) {
    return described(await this.run(['resume', id, ...args, '--json'], { env: this.demo() }))
  }
}

function described(ran: CommandRun) {
  const events = parseLines<RunEvent>(ran.stdout)
  const last = events.at(-1) as unknown as { run: string; status: string } | undefined
  const of = (type: string) => events.filter(event => event.type === type).map(({ data }) => data)
  return {
    ...ran,
    events,
    of,
    id: last?.run ?? '',
    status: last?.status ?? null,
    /** The nodes in the order in which they started. */
    path: of('node.started').map(({ node }) => String(node)),
  }
}
