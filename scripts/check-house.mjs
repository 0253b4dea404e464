// Rules of the architecture (docs/architecture.md) that the compiler does not check: which room may
// import which, which files are pure, which calls are banned, and how long a file may be. Prints
// every violation as file:line and exits 1 if there is one.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const house = JSON.parse(readFileSync(join(root, 'scripts', 'house.json'), 'utf8'))
const src = join(root, 'src')
const rowOf = new Map(house.rows.flatMap((rooms, row) => rooms.map(room => [room, row])))
const problems = []
const edges = new Map()

const BANNED = [
  [/\bshell:\s*true\b/, 'start programs with an argument array, not through a shell'],
  [/\bexec(Sync)?\(/, 'exec runs a shell: use spawn with an argument array', /\.exec\(/],
  [/\beval\(|new Function\(/, 'do not evaluate text as code'],
  [/\binnerHTML\b|dangerouslySet/, 'add text to the page as text nodes only'],
  [/(?<!\?):\s*any\b|\bas any\b/, 'no any'],
  [/@ts-(ignore|nocheck)/, 'do not suppress type errors'],
]
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval|Immediate)\(|\bperformance\.|\bprocess\./
const TIMERS = /(?<![.\w])set(Timeout|Interval)\(/

function* sources(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) yield* sources(path)
    else if (/\.tsx?$/.test(entry.name)) yield path
  }
}

function report(file, line, message) {
  problems.push(`${relative(root, file)}:${line}: ${message}`)
}

function checkImport(file, line, from, target, isTypeOnly) {
  const room = relative(src, file).split('/')[0]
  if (!target.startsWith('.')) return
  const resolved = relative(src, join(dirname(file), target))
  const other = resolved.split('/')[0]
  if (other === room || !resolved.includes('/') || !relative(src, file).includes('/')) return
  if (!resolved.endsWith('/index.js')) report(file, line, `import ${from} through index.ts of ${other}/`)
  const allowed = house.programs[room]
  if (allowed) {
    if (!allowed.includes(other)) report(file, line, `${room}/ is a separate program and may not import ${other}/`)
    return
  }
  if (house.programs[other]) return report(file, line, `${other}/ is a program: start it, do not import it`)
  if (!rowOf.has(other)) return report(file, line, `${other}/ is not a room of scripts/house.json`)
  if (rowOf.get(other) < rowOf.get(room)) report(file, line, `${room}/ may not import ${other}/, which is above it`)
  if (rowOf.get(other) === rowOf.get(room) && !isTypeOnly) {
    if (!edges.has(room)) edges.set(room, new Map())
    edges.get(room).set(other, `${relative(root, file)}:${line}`)
  }
}

function checkFile(file) {
  const path = relative(src, file)
  const isTest = /\.test\.tsx?$/.test(file) || path.includes('/testing/')
  const lines = readFileSync(file, 'utf8').split('\n')
  const room = path.split('/')[0]
  const isGenerated = lines[0]?.startsWith('// Generated')
  if (!isTest && !isGenerated && lines.length > 600) report(file, 600, `${lines.length} lines: split it`)
  const isPure = !isTest && (house.pureRooms.includes(room) || house.pureFiles.some(p => new RegExp(p).test(file)))
  let inComment = false
  lines.forEach((text, index) => {
    const line = index + 1
    if (/^\s*\/\*/.test(text)) inComment = true
    const isComment = inComment || /^\s*(\/\/|\*)/.test(text)
    if (/\*\//.test(text)) inComment = false
    if (isComment) return
    const match =
      /(?:^|\s)(import|export)\s+(type\s)?.*?from\s+'([^']+)'|\bimport\('([^']+)'\)|^\} from '([^']+)'/.exec(text)
    const target = match && (match[3] ?? match[4] ?? match[5])
    if (target) {
      if (!isTest) checkImport(file, line, target, target, Boolean(match[2]))
      if (isPure && target.startsWith('node:')) report(file, line, `pure file imports ${target}`)
      if (isPure && !match[2] && /\/(store|process|git|config)\//.test(target))
        report(file, line, `pure file imports an edge: ${target}`)
    }
    if (isTest) return
    for (const [pattern, message, except] of BANNED)
      if (pattern.test(text) && !except?.test(text)) report(file, line, message)
    if (isPure && IMPURE.test(text)) report(file, line, 'pure file reads a clock, randomness, a timer or the process')
    if (!house.timerRooms.includes(room) && TIMERS.test(text))
      report(file, line, 'take timers from an injected clock (clock/)')
    if (house.scanningRooms.includes(room) && path !== 'engine/control.ts' && /\blistRuns\(/.test(text))
      report(file, line, 'listRuns reads every run: ask for the runs that are needed (runsDueBy, childrenOf)')
    if (room !== 'server' && !path.startsWith('telegram/fake/') && /\bcreateServer\(/.test(text) && /http/.test(text))
      report(file, line, 'HTTP servers belong into server/')
  })
}

function checkCycles() {
  const done = new Set()
  const walk = (room, path) => {
    if (path.includes(room)) {
      const cycle = [...path.slice(path.indexOf(room)), room]
      problems.push(`rooms form a cycle: ${cycle.join(' → ')} (${edges.get(cycle[0]).get(cycle[1])})`)
      return
    }
    if (done.has(room)) return
    for (const next of edges.get(room)?.keys() ?? []) walk(next, [...path, room])
    done.add(room)
  }
  for (const room of edges.keys()) walk(room, [])
}

/** The dashboard is a separate program in a browser: only the rules for all code apply. */
function checkPage(file) {
  if (/\.test\.tsx?$/.test(file)) return
  const lines = readFileSync(file, 'utf8').split('\n')
  if (lines.length > 600) report(file, 600, `${lines.length} lines: split it`)
  lines.forEach((text, index) => {
    if (/^\s*(\/\/|\*|\/\*)/.test(text)) return
    for (const [pattern, message, except] of BANNED)
      if (pattern.test(text) && !except?.test(text)) report(file, index + 1, message)
    const shared = /from '(?:\.\.\/)+src\/([^']+)'/.exec(text)?.[1]
    if (shared && !house.pageFiles.includes(shared))
      report(file, index + 1, 'the page may use the API and the files in `pageFiles` of house.json only')
  })
}

for (const file of sources(src)) checkFile(file)
for (const file of sources(join(root, 'web', 'src'))) checkPage(file)
checkCycles()
if (problems.length > 0) {
  console.error(problems.join('\n'))
  console.error(`${problems.length} violations of the house rules`)
  process.exit(1)
}
console.log('house rules hold')
