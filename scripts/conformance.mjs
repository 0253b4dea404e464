// `npm run conformance`: the official suites of the Model Context Protocol against a daemon of its
// own. The conformance suite asks the server over HTTP, the inspector also the one on standard
// input and output. Both are installed outside the project, with the versions below. There is no
// such suite of the Agent Client Protocol on npm; its SDK drives `signalbox acp` in
// test/e2e/acp.test.ts.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, install, requireNode, root } from './setup.mjs'

const CONFORMANCE = '0.1.16'
const INSPECTOR = '2.12.0'

/**
 * Scenarios that cannot pass, by the reason; docs/decisions/0082 has them one by one with the tests
 * of ours that check the same.
 */
const NOT_OFFERED = {
  'calls a tool of the example server by its name': [
    ...['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'error'].map(
      name => `tools-call-${name}`,
    ),
    ...['with-progress', 'with-logging', 'sampling', 'elicitation'].map(name => `tools-call-${name}`),
    ...['json-schema-2020-12', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums', 'server-sse-polling'],
  ],
  'needs sessions of the transport': ['server-sse-multiple-streams'],
  'reads a resource of the example server': [
    ...['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
    ...['resources-subscribe', 'resources-unsubscribe'],
  ],
  'gets a prompt of the example server': [
    ...['get-simple', 'get-with-args', 'get-embedded-resource', 'get-with-image'].map(name => `prompts-${name}`),
    'completion-complete',
  ],
  'needs prompts or logging': ['prompts-list', 'logging-set-level'],
}

requireNode()
install()
if (!existsSync(join(root, 'dist', 'cli.js'))) build()

const cli = join(root, 'dist', 'cli.js')
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'signalbox-conformance')
const packages = installed()
const directory = mkdtempSync(join(tmpdir(), 'signalbox-conformance-'))
const env = { ...process.env, SIGNALBOX_HOME: join(directory, 'home') }
const signalbox = (...args) => spawnSync(process.execPath, [cli, ...args], { cwd: directory, env, encoding: 'utf8' })
let failures = 0
let session = ''
try {
  session = JSON.parse(signalbox('start', 'demo', '--json').stdout).id
  signalbox('wait', session, '--for', 'idle', '--timeout', '60')
  const { address } = JSON.parse(readFileSync(join(env.SIGNALBOX_HOME, 'run', 'server.json'), 'utf8'))
  const token = readFileSync(join(env.SIGNALBOX_HOME, 'state', 'token'), 'utf8').trim()
  await runConformance(new URL(address), token)
  inspect('stdio', [process.execPath, cli, 'mcp', '--transport', 'stdio', '-e', `SIGNALBOX_HOME=${env.SIGNALBOX_HOME}`])
  const http = [`${address}/api/v1/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
  inspect('http', http)
} finally {
  signalbox('stop', session)
  signalbox('serve', '--stop')
  rmSync(directory, { recursive: true, force: true })
}
console.log(failures === 0 ? 'conformance: passed' : `conformance: ${failures} failed`)
process.exit(failures === 0 ? 0 : 1)

/** The suite cannot sign in, so that a proxy adds the token; it passes Host and Origin on. */
async function runConformance(server, token) {
  const proxy = createServer((asked, answer) => {
    const own = `:${proxy.address().port}`
    const headers = { ...asked.headers, authorization: `Bearer ${token}` }
    for (const name of ['host', 'origin'])
      if (headers[name]?.endsWith(own)) headers[name] = headers[name].replace(/[^/]*$/, server.host)
    const call = request(
      { host: server.hostname, port: server.port, path: '/api/v1/mcp', method: asked.method, headers },
      given => {
        answer.writeHead(given.statusCode, given.headers)
        given.pipe(answer)
      },
    )
    call.on('error', () => answer.destroy())
    asked.pipe(call)
  })
  await new Promise(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const expected = join(directory, 'expected.yml')
  const names = Object.values(NOT_OFFERED).flat()
  writeFileSync(expected, `server:\n${names.map(name => `  - ${name}\n`).join('')}`)
  const url = `http://127.0.0.1:${proxy.address().port}/mcp`
  // It needs a newer Node than Signalbox.
  const child = spawn(
    join(packages, 'node', 'bin', 'node'),
    [
      join(packages, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
      ...['server', '--url', url, '--suite', 'all', '--expected-failures', expected],
    ],
    { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let said = ''
  child.stdout.on('data', part => (said += part))
  const code = await new Promise(resolve => child.on('close', resolve))
  proxy.closeAllConnections()
  await new Promise(resolve => proxy.close(resolve))
  console.log(said.slice(said.indexOf('=== SUMMARY')))
  for (const [reason, scenarios] of Object.entries(NOT_OFFERED))
    console.log(`not applicable, ${reason}: ${scenarios.length} scenarios`)
  if (code !== 0) failures++
}

/** Each method of the protocol once, as the inspector calls it. */
function inspect(transport, target) {
  const uri = `signalbox://sessions/${session}/conversation`
  const calls = {
    'tools/list': ['session_wait', []],
    'tools/call': [session, ['--tool-name', 'sessions_list']],
    'resources/list': [uri, []],
    'resources/templates/list': ['signalbox://runs/{id}/log', []],
    'resources/read': ['messages', ['--uri', uri]],
  }
  for (const [method, [expected, args]] of Object.entries(calls)) {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(packages, '.bin', 'mcp-inspector'), '--cli', ...target, '--method', method, ...args],
      { cwd: directory, encoding: 'utf8', env: { ...env, HOME: directory } },
    )
    const isRight = stdout.includes(expected)
    console.log(`${isRight ? '✓' : '✗'} inspector ${transport} ${method}`)
    if (isRight) continue
    failures++
    console.log((stdout + stderr).slice(-1_000))
  }
}

/** @returns the directory of the packages. */
function installed() {
  const place = join(cache, `${CONFORMANCE}-${INSPECTOR}`)
  const modules = join(place, 'node_modules')
  if (existsSync(join(modules, '.bin', 'mcp-inspector'))) return modules
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n')
  const wanted = [
    `@modelcontextprotocol/conformance@${CONFORMANCE}`,
    `@modelcontextprotocol/inspector@${INSPECTOR}`,
    'node@22',
  ]
  console.error(`Installing ${wanted.join(', ')} …`)
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...wanted]
  const { status } = spawnSync('npm', args, { cwd: place, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
  return modules
}
