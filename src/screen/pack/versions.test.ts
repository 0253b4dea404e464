import { describe, expect, it } from 'vitest'
import { chooseRange, isInRange, parseRange } from './versions.js'

describe('version ranges', () => {
  it.each([
    ['>=2.1.228 <2.2', '2.1.325', true],
    ['>=2.1.228 <2.2', '2.1.228', true],
    ['>=2.1.228 <2.2', '2.1.227', false],
    ['>=2.1.228 <2.2', '2.2.0', false],
    ['>2.1 <=2.1.5', '2.1.0', false],
    ['>2.1 <=2.1.5', '2.1.5', true],
    ['*', '0.0.1', true],
    ['1.18.33', '1.18.33', true],
    ['1.18.33', 'v1.18.33-beta.2', true],
    ['1.18.33', '1.18.34', false],
    ['<1 || >=3', '3.0', true],
    ['<1 || >=3', '2.0', false],
    ['*', 'nightly', false],
  ])('%s holds %s: %s', (range, version, expected) => {
    expect(isInRange(version, parseRange(range))).toBe(expected)
  })

  it('reports a word that is not a version', () => {
    expect(() => parseRange('>=two')).toThrow('">=two" is not a version range')
    expect(() => parseRange('  ')).toThrow('empty')
  })

  it.each([
    ['2.1.100', 1, true],
    ['2.1.300', 2, true],
    ['2.5', 2, false],
    ['1.0', 0, false],
    [null, 2, true],
    ['nightly', 2, false],
  ])('selects for version %s the file %i (inside its range: %s)', (version, index, isInside) => {
    const ranges = ['>=1.5 <2', '>=2 <2.1.228', '>=2.1.228 <2.2'].map(parseRange)
    expect(chooseRange(ranges, version)).toEqual({ index, isInside })
  })
})
