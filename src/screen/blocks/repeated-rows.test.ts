import { describe, expect, it } from 'vitest'
import { dropRepeatedRows } from './repeated-rows.js'

const rows = (...texts: string[]) => texts.map((text, id) => ({ id, text }))
const kept = (found: { text: string }[]) => found.map(row => row.text).join(',')

describe('rows printed twice after a resize', () => {
  it('lose the second copy of three rows or more', () => {
    expect(kept(dropRepeatedRows(rows('a', 'b', 'c', 'd', 'b', 'c', 'd', 'e'), () => true))).toBe('a,b,c,d,e')
  })

  it('stay if they are fewer, or without a resize', () => {
    expect(kept(dropRepeatedRows(rows('ok', 'ok', 'ok'), () => true))).toBe('ok,ok,ok')
    expect(kept(dropRepeatedRows(rows('a', 'b', 'c', 'a', 'b', 'c'), () => false))).toBe('a,b,c,a,b,c')
    expect(kept(dropRepeatedRows(rows('a', 'b', 'c', 'a', 'b', 'c'), row => row.id < 3))).toBe('a,b,c,a,b,c')
  })

  it('stay if they are blank', () => {
    expect(kept(dropRepeatedRows(rows('', '', '', '', '', ''), () => true))).toBe(',,,,,')
  })
})
