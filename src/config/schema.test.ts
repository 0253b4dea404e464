import { expect, test } from 'vitest'
import { isNarrowEnough } from './narrow.js'
import { configReference } from './reference.js'
import { environmentNameOf, isDynamic, KNOWN_SETTINGS, parseSize, unitOf } from './schema.js'
import { checkText, checkValue, parseDuration } from './value.js'

const known = (pattern: string) => KNOWN_SETTINGS.find(one => one.pattern === pattern)!

test('every default is a value that its setting accepts', () => {
  for (const one of KNOWN_SETTINGS) {
    expect(checkValue(one, one.setting.default), one.pattern).toMatchObject({ ok: true })
  }
})

test('every setting has a description of one sentence', () => {
  for (const { pattern, setting } of KNOWN_SETTINGS) expect(setting.about, pattern).toMatch(/^\S.*\.$/)
})

test('keys are lower case, no key is a section of another, and every variable is unique', () => {
  const patterns = KNOWN_SETTINGS.map(({ pattern }) => pattern)
  for (const pattern of patterns) {
    expect(pattern).toMatch(/^[a-z0-9_]+(?:\.(?:[a-z0-9_]+|\*))+$/)
    expect(patterns.filter(other => other.startsWith(`${pattern}.`))).toEqual([])
  }
  const names = KNOWN_SETTINGS.map(environmentNameOf).filter(name => name !== undefined)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBe(KNOWN_SETTINGS.filter(one => !isDynamic(one)).length)
  expect(names).toContain('SIGNALBOX_READING_SETTLE_GAP_MS')
})

test('a setting that a project may narrow has a direction that fits its type', () => {
  const fitting: Record<string, string[]> = {
    boolean: ['on', 'off'],
    integer: ['lower', 'higher'],
    number: ['lower', 'higher'],
    duration: ['lower', 'higher'],
    strings: ['subset'],
    enum: ['later'],
  }
  for (const { pattern, setting } of KNOWN_SETTINGS) {
    if (setting.projectMay === 'narrow') expect(fitting[setting.type], pattern).toContain(setting.narrower)
    else expect(setting.narrower, pattern).toBeUndefined()
  }
})

test('a project file cannot set authority settings', () => {
  const guarded =
    /^(?:server|env|store|projects|telegram\.(?:token|token_file|api_root|groups|enabled))\b|\.(?:command|args|env|endpoint|api_key_env)$/
  for (const { pattern, setting } of KNOWN_SETTINGS) {
    if (guarded.test(pattern)) expect(setting.projectMay, pattern).toBe('never')
  }
})

test('a narrower value allows less; no limit allows most', () => {
  const iterations = known('oneshot.max_iterations').setting
  expect([4, 5, 6].map(value => isNarrowEnough(iterations, 5, value))).toEqual([true, true, false])
  const cost = known('oneshot.max_cost').setting
  expect([isNarrowEnough(cost, null, 5), isNarrowEnough(cost, 5, null), isNarrowEnough(cost, null, null)]).toEqual([
    true,
    false,
    true,
  ])
  const silence = known('oneshot.inactivity_threshold').setting
  expect([isNarrowEnough(silence, 0, 60), isNarrowEnough(silence, 60, 0)]).toEqual([true, false])
  const permissions = known('oneshot.permissions').setting
  expect(['all', 'edits', 'ask', 'read'].map(value => isNarrowEnough(permissions, null, value))).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect(isNarrowEnough(known('oneshot.worktree').setting, true, false)).toBe(false)
  expect(isNarrowEnough(known('server.port').setting, 0, 1)).toBe(false)
})

test('durations are parsed in any unit and returned in the unit of the key', () => {
  expect([
    unitOf('a.b_ms'),
    unitOf('a.b_s'),
    unitOf('a.b_min'),
    unitOf('a.b_h'),
    unitOf('a.b_days'),
    unitOf('a.grant_for'),
  ]).toEqual(['ms', 's', 'min', 'h', 'd', 's'])
  expect(['90', '90s', '5m', '5 min', '2h', '1d', '1.5h', '500ms'].map(text => parseDuration(text, 's'))).toEqual([
    90, 90, 300, 300, 7200, 86_400, 5400, 0.5,
  ])
  expect(['', 's', '-5', '5 weeks', '1e3', '5m5'].map(text => parseDuration(text, 's'))).toEqual(
    Array(6).fill(undefined),
  )
})

test('text of a variable is parsed by the type of its setting, and invalid text is refused', () => {
  expect(checkText(known('server.port'), ' 8080 ')).toEqual({ ok: true, value: 8080 })
  expect(checkText(known('oneshot.max_cost'), 'none')).toEqual({ ok: true, value: null })
  expect(checkText(known('env.pass'), '')).toEqual({ ok: true, value: [] })
  for (const text of ['', '0x10', '1e3', 'Infinity', '-1', '99999999999999999999']) {
    expect(checkText(known('server.port'), text)).toMatchObject({ ok: false })
  }
  expect(checkText(known('env.pass'), '["A"')).toMatchObject({ ok: false })
  expect(checkText(known('server.bind'), 'a\0b')).toMatchObject({ ok: false })
})

test('the reference lists every key, its default and its variable in well-formed tables', () => {
  const page = configReference()
  for (const { pattern } of KNOWN_SETTINGS) expect(page).toContain(`| \`${pattern}\`<br>`)
  expect(page).toContain('`SIGNALBOX_READING_SETTLE_GAP_MS`')
  expect(page).toContain('a duration in ms from 10 to 5000')
  for (const line of page.split('\n').filter(text => text.startsWith('| `'))) {
    expect(line.replaceAll('\\|', '').match(/\|/g), line).toHaveLength(6)
  }
})

test('a terminal size is parsed as columns and rows', () => {
  expect(parseSize('120x40')).toEqual({ cols: 120, rows: 40 })
})
