import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GraphHome } from './graph-home.js'

let home: GraphHome

beforeEach(() => {
  home = new GraphHome()
  home.write('issue.md', '# A lamp\n\nAdd a lamp to the room.\n')
  home.commit('issue')
})
afterEach(() => home.close())

async function eject(name: string): Promise<string> {
  return home.write(`${name}.dot`, (await home.ok(['pipelines', 'eject', name])).stdout)
}

function register(name: string, text: string): void {
  mkdirSync(join(home.work, '.signalbox/pipelines'), { recursive: true })
  home.graph(text, `.signalbox/pipelines/${name}.dot`)
}

describe('an ejected pipeline', () => {
  test('takes agents, paths and limits from a profile', async () => {
    mkdirSync(home.path('config'), { recursive: true })
    writeFileSync(
      home.path('config', 'config.toml'),
      '[profiles.careful]\nplan_path_pattern = "plans/{run}.md"\n[profiles.careful.agents.developer]\nagent = "demo"\n',
    )
    const file = await eject('implementation')
    const ran = await home.runGraph([
      file,
      '--agent',
      'demo',
      '--auto-approve',
      '--input',
      'issue=issue.md',
      '--input',
      'profile=careful',
    ])
    expect(ran.status, ran.stderr).toBe('completed')
    const files = home.git('ls-tree', '-r', '--name-only', `signalbox/run/${ran.id}`).split('\n')
    expect(files.filter(file => /^plans\/.+\.md$/.test(file))).toHaveLength(1)
  })

  test('names a profile that does not exist', async () => {
    const file = await eject('implementation')
    const ran = await home.runGraph([file, '--agent', 'demo', '--input', 'issue=issue.md', '--input', 'profile=gone'])
    expect(ran.of('node.finished').at(-1)!.failureReason).toContain('there is no profile "gone"')
  })

  test('reviews a range without an issue', async () => {
    home.write('room.txt', 'a lamp\n')
    home.commit('lamp')
    const file = await eject('review')
    const ran = await home.runGraph([file, '--agent', 'demo', '--auto-approve', '--input', 'range=HEAD~1..HEAD'])
    expect([ran.status, ran.stderr]).toEqual(['completed', ''])
    expect(ran.path).toContain('reviewer')
  })
})

describe('a node that names a pipeline', () => {
  test('runs a shipped pipeline with inputs of its own in the worktree of the run', async () => {
    home.graph('p [type=pipeline, pipeline=implementation, var.issue="issue.md"]; start -> p -> exit')
    const ran = await home.runGraph(['flow.dot', '--agent', 'demo', '--auto-approve'])
    expect(ran.status, ran.stderr).toBe('completed')
    expect(ran.of('child.finished')).toMatchObject([{ status: 'completed' }])
    expect(home.git('log', '--format=%s', `signalbox/run/${ran.id}`)).toMatch(/lamp|Task/i)
  })

  test('runs a pipeline of the project only in the version that was trusted', async () => {
    register('check', 't [shape=parallelogram, tool_command="true"]; start -> t -> exit')
    home.graph('p [type=pipeline, pipeline=check]; start -> p -> exit')
    home.commit('pipelines')
    expect((await home.runGraph(['flow.dot'])).status).toBe('completed')
    register('check', 't [shape=parallelogram, tool_command="touch changed"]; start -> t -> exit')
    expect((await home.run(['run', 'flow.dot'])).stderr).toContain('check.dot changed')
  })

  test.each(['p [type=pipeline, pipeline=gone]', 'p [shape=house, stack.child_dotfile="gone.dot"]'])(
    'is an error of the graph if the pipeline does not exist: %s',
    async node => {
      home.graph(`${node}; start -> p -> exit`)
      const found = await home.run(['validate', 'flow.dot'])
      expect([found.code, found.stdout]).toEqual([1, expect.stringContaining('is neither a file nor a pipeline')])
    },
  )
})

describe('a pipeline of the project', () => {
  beforeEach(() =>
    register(
      'release',
      'graph [label="Release", goal="Publish a version", inputs="version"]; t [shape=parallelogram, tool_command="echo $SIGNALBOX_CTX_VERSION > version.txt"]; start -> t -> exit',
    ),
  )

  test('is listed, shown and run by its name once it is trusted', async () => {
    const listed = await home.json<{ name: string; description: string; inputs?: string[] }[]>(['pipelines', '--json'])
    expect(listed.map(({ name }) => name)).toEqual(['implementation', 'pull_request', 'review', 'release'])
    expect(listed.at(-1)).toMatchObject({
      displayName: 'Release',
      description: 'Publish a version',
      inputs: ['version'],
    })
    expect((await home.ok(['pipelines', 'show', 'release'])).stdout).toContain('start')
    const refused = await home.run(['run', 'release', '--input', 'version=1.2'])
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('.signalbox/pipelines/release.dot')])
    const trusted = await home.trust('.signalbox/pipelines/release.dot')
    await home.ok(['run', 'release', '--input', 'version=1.2', ...trusted])
  })

  test('does not replace a shipped pipeline of the same name', async () => {
    register('review', 'start -> exit')
    const listed = await home.json<{ name: string }[]>(['pipelines', '--json'])
    expect(listed.filter(({ name }) => name === 'review')).toHaveLength(1)
  })
})
