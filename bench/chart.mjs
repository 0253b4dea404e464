// A series of samples as an SVG, and the slope of its line of best fit.

/** The change of a field per minute (least squares). */
export function slopeOf(samples, field) {
  const points = samples.filter(sample => sample[field] !== null)
  const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(points.map(({ at }) => at))
  const y = mean(points.map(sample => sample[field]))
  const [over, under] = points.reduce(
    ([top, bottom], sample) => [top + (sample.at - x) * (sample[field] - y), bottom + (sample.at - x) ** 2],
    [0, 0],
  )
  return under === 0 ? 0 : over / under
}

export function drawSeries(samples, field, title) {
  const [width, height, left, bottom] = [720, 240, 56, 28]
  const points = samples.filter(sample => sample[field] !== null)
  const highest = Math.max(1, ...points.map(sample => sample[field])) * 1.1
  const longest = Math.max(0.1, ...points.map(({ at }) => at))
  const x = at => (left + (at / longest) * (width - left - 12)).toFixed(1)
  const y = value => (height - bottom - (value / highest) * (height - bottom - 30)).toFixed(1)
  const line = points.map(sample => `${x(sample.at)},${y(sample[field])}`).join(' ')
  const marks = [0, 0.5, 1].map(part => {
    const value = highest * part
    return `<line x1="${left}" x2="${width - 12}" y1="${y(value)}" y2="${y(value)}" stroke="#d5dae3"/><text x="${left - 6}" y="${Number(y(value)) + 4}" text-anchor="end">${value.toPrecision(3)}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img" aria-label="${title}">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="${left}" y="18" font-weight="bold">${title}</text>`,
    ...marks,
    `<text x="${width - 12}" y="${height - 8}" text-anchor="end">${longest.toFixed(1)} minutes</text>`,
    `<polyline points="${line}" fill="none" stroke="#2f6fb3" stroke-width="1.5"/>`,
    '</svg>',
    '',
  ].join('\n')
}
