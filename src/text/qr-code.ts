/*
 * A QR code (ISO/IEC 18004) of a short text: byte mode, error correction M, versions 1 to 10, which
 * hold up to 213 bytes. A login link has about 70.
 */

/**
 * Codewords of error correction in each block, and the blocks: count and data codewords of each.
 */
const VERSIONS: readonly {
  ec: number
  blocks: readonly (readonly [count: number, data: number])[]
  align: number[]
}[] = [
  { ec: 10, blocks: [[1, 16]], align: [] },
  { ec: 16, blocks: [[1, 28]], align: [6, 18] },
  { ec: 26, blocks: [[1, 44]], align: [6, 22] },
  { ec: 18, blocks: [[2, 32]], align: [6, 26] },
  { ec: 24, blocks: [[2, 43]], align: [6, 30] },
  { ec: 16, blocks: [[4, 27]], align: [6, 34] },
  { ec: 18, blocks: [[4, 31]], align: [6, 22, 38] },
  {
    ec: 22,
    blocks: [
      [2, 38],
      [2, 39],
    ],
    align: [6, 24, 42],
  },
  {
    ec: 22,
    blocks: [
      [3, 36],
      [2, 37],
    ],
    align: [6, 26, 46],
  },
  {
    ec: 26,
    blocks: [
      [4, 43],
      [1, 44],
    ],
    align: [6, 28, 50],
  },
]

/** Rows of modules; true is dark. @throws RangeError if the text is longer than 213 bytes. */
export function qrCode(text: string): boolean[][] {
  const bytes = [...new TextEncoder().encode(text)]
  const version = VERSIONS.findIndex((_, index) => bytes.length <= capacityOf(index + 1)) + 1
  if (version === 0) throw new RangeError(`a QR code of ${bytes.length} bytes is too large; the limit is 213`)
  const codewords = interleave(version, dataOf(bytes, version))
  let best: { rows: boolean[][]; penalty: number } | null = null
  for (let mask = 0; mask < 8; mask++) {
    const rows = draw(version, codewords, mask)
    const penalty = penaltyOf(rows)
    if (!best || penalty < best.penalty) best = { rows, penalty }
  }
  return best!.rows
}

function dataLength(version: number): number {
  return VERSIONS[version - 1]!.blocks.reduce((sum, [count, data]) => sum + count * data, 0)
}

function capacityOf(version: number): number {
  return dataLength(version) - (version < 10 ? 2 : 3)
}

function dataOf(bytes: readonly number[], version: number): number[] {
  const bits: number[] = []
  const put = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1)
  }
  put(4, 4)
  put(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) put(byte, 8)
  const length = dataLength(version)
  put(0, Math.min(4, length * 8 - bits.length))
  while (bits.length % 8 !== 0) bits.push(0)
  const words = Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((word, bit) => (word << 1) | bit, 0),
  )
  for (let pad = 0xec; words.length < length; pad ^= 0xec ^ 0x11) words.push(pad)
  return words
}

function interleave(version: number, data: readonly number[]): number[] {
  const { ec, blocks } = VERSIONS[version - 1]!
  const divisor = generator(ec)
  const parts: { data: number[]; check: number[] }[] = []
  let at = 0
  for (const [count, length] of blocks)
    for (let index = 0; index < count; index++) {
      const part = data.slice(at, at + length)
      at += length
      parts.push({ data: part, check: remainder(part, divisor) })
    }
  const longest = Math.max(...parts.map(part => part.data.length))
  const words: number[] = []
  for (let index = 0; index < longest; index++)
    for (const part of parts) if (index < part.data.length) words.push(part.data[index]!)
  for (let index = 0; index < ec; index++) for (const part of parts) words.push(part.check[index]!)
  return words
}

/** Multiplication in GF(2⁸) with the polynomial 0x11d. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((b >>> bit) & 1) * a
  }
  return product
}

function generator(degree: number): number[] {
  const result = [...Array<number>(degree - 1).fill(0), 1]
  let root = 1
  for (let step = 0; step < degree; step++) {
    for (let index = 0; index < degree; index++) {
      result[index] = multiply(result[index]!, root)
      if (index + 1 < degree) result[index]! ^= result[index + 1]!
    }
    root = multiply(root, 2)
  }
  return result
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const result = divisor.map(() => 0)
  for (const word of data) {
    const factor = word ^ result.shift()!
    result.push(0)
    for (const [index, coefficient] of divisor.entries()) result[index]! ^= multiply(coefficient, factor)
  }
  return result
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  x => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

function draw(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const size = version * 4 + 17
  const rows = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const fixed = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const set = (x: number, y: number, isDark: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return
    rows[y]![x] = isDark
    fixed[y]![x] = true
  }
  for (let index = 0; index < size; index++) {
    set(6, index, index % 2 === 0)
    set(index, 6, index % 2 === 0)
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const distance = Math.max(Math.abs(dx), Math.abs(dy))
        set(cx + dx, cy + dy, distance !== 2 && distance !== 4)
      }
  const { align } = VERSIONS[version - 1]!
  const last = align.length - 1
  for (const [i, cx] of align.entries())
    for (const [j, cy] of align.entries()) {
      if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) continue
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1)
    }
  drawFormat(set, size, mask)
  if (version >= 7) drawVersion(set, size, version)
  let bit = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const isUp = ((right + 1) & 2) === 0
        const y = isUp ? size - 1 - step : step
        if (fixed[y]![x]) continue
        const isDark = bit < codewords.length * 8 && ((codewords[bit >>> 3]! >>> (7 - (bit & 7))) & 1) === 1
        bit++
        rows[y]![x] = isDark !== MASKS[mask]!(x, y)
      }
  }
  return rows
}

type Set = (x: number, y: number, isDark: boolean) => void

function drawFormat(set: Set, size: number, mask: number): void {
  // Error correction M is 0.
  let rest = mask
  for (let step = 0; step < 10; step++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
  const bits = ((mask << 10) | rest) ^ 0x5412
  const bit = (index: number) => ((bits >>> index) & 1) === 1
  for (let index = 0; index <= 5; index++) set(8, index, bit(index))
  set(8, 7, bit(6))
  set(8, 8, bit(7))
  set(7, 8, bit(8))
  for (let index = 9; index < 15; index++) set(14 - index, 8, bit(index))
  for (let index = 0; index < 8; index++) set(size - 1 - index, 8, bit(index))
  for (let index = 8; index < 15; index++) set(8, size - 15 + index, bit(index))
  set(8, size - 8, true)
}

function drawVersion(set: Set, size: number, version: number): void {
  let rest = version
  for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
  const bits = (version << 12) | rest
  for (let index = 0; index < 18; index++) {
    const isDark = ((bits >>> index) & 1) === 1
    const [a, b] = [size - 11 + (index % 3), Math.floor(index / 3)]
    set(a, b, isDark)
    set(b, a, isDark)
  }
}

/** Long runs and large blocks are hard to read; the mask with the fewest is taken. */
function penaltyOf(rows: readonly (readonly boolean[])[]): number {
  const size = rows.length
  let penalty = 0
  const at = (x: number, y: number, isColumn: boolean) => (isColumn ? rows[x]![y]! : rows[y]![x]!)
  for (const isColumn of [false, true])
    for (let y = 0; y < size; y++) {
      let run = 1
      for (let x = 1; x < size; x++) {
        run = at(x, y, isColumn) === at(x - 1, y, isColumn) ? run + 1 : 1
        if (run === 5) penalty += 3
        else if (run > 5) penalty++
      }
    }
  for (let y = 0; y + 1 < size; y++)
    for (let x = 0; x + 1 < size; x++) {
      const first = rows[y]![x]
      if (first === rows[y]![x + 1] && first === rows[y + 1]![x] && first === rows[y + 1]![x + 1]) penalty += 3
    }
  const dark = rows.flat().filter(Boolean).length
  return penalty + Math.floor(Math.abs((dark * 20) / (size * size) - 10)) * 10
}

const QUIET_ZONE = 2

/**
 * The code as lines of a terminal, two rows of modules in each. `isInverse`: for dark text on a
 * light ground; terminals are dark by default, and dark modules are the ground there.
 */
export function qrLines(text: string, { isInverse = false } = {}): string[] {
  const rows = qrCode(text)
  const size = rows.length + 2 * QUIET_ZONE
  const isLit = (x: number, y: number) => (rows[y - QUIET_ZONE]?.[x - QUIET_ZONE] ?? false) === isInverse
  return Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_unused, x) => {
      const [top, bottom] = [isLit(x, line * 2), line * 2 + 1 < size && isLit(x, line * 2 + 1)]
      return top ? (bottom ? '█' : '▀') : bottom ? '▄' : ' '
    }).join(''),
  )
}
