import { expect, it } from 'vitest'
import { distinctNames } from './distinct-names'

it('paths with one name are told apart by their parents', () => {
  const names = distinctNames(['/work/shop', '/old/shop', '/work/timetable', '/old/a/shop'])
  expect([...names.values()]).toEqual(['work/shop', 'old/shop', 'timetable', 'a/shop'])
})

it('a path that is the end of another one is shown whole', () => {
  expect([...distinctNames(['/shop', '/work/shop', '/']).values()]).toEqual(['/shop', 'work/shop', '/'])
})
