import CommandSupport
import Testing

@Suite("Charts")
struct ChartTests {
  @Test(
    "a scale has round ticks: integers for counts, whole minutes and hours for durations",
    arguments: [
      ([1.0, 4, 2], true, [1.0], 0.0, 4.0, [0.0, 4]), ([0, 0], true, [1], 0, 1, [0, 1]),
      ([7], true, [1], 0, 7, [0, 6]),
      ([2.2, 4.7], false, [0], 2.2, 4.7, [3, 4]), ([-3, 8], true, [0], -3, 8, [0, 5]),
      ([5], false, [0], 4.5, 5.5, [4.5, 5.5]),
      ([1300, 3100], false, [1, 60, 3600], 1300, 3100, [1800, 3000]),
      ([3600, 36000], true, [1, 60, 3600], 0, 36000, [0, 36000]),
      ([1e308, -1e308], false, [0], -1e308, 1e308, [-1e308, 1e308]), ([1e308], true, [1], 0, 1e308, [0, 1e308]),
    ] as [([Double], Bool, [Double], Double, Double, [Double])])
  func scale(values: [Double], fromZero: Bool, units: [Double], low: Double, high: Double, marks: [Double]) throws {
    let scale = try #require(ChartScale(values, fromZero: fromZero, units: units))
    #expect(scale.low == low && scale.high == high)
    #expect(scale.marks == marks)
    #expect(scale.height(low) == 0 && scale.height(high) == 1)
  }

  @Test func `the smallest and largest numbers have heights, and an empty series has no scale`() throws {
    #expect(ChartScale([], fromZero: true) == nil)
    #expect(ChartScale([.nan], fromZero: false) == nil)
    let most = Double.greatestFiniteMagnitude
    for values in [
      [most, -most], [most], [-most], [.leastNonzeroMagnitude, 0], [.leastNonzeroMagnitude], [1e15, 1e15 + 0.125],
      [most, most.nextDown],
    ] {
      for fromZero in [true, false] {
        let scale = try #require(ChartScale(values, fromZero: fromZero, units: [1, 60]))
        for value in values + scale.marks { #expect((0...1).contains(scale.height(value)), "\(values) \(value)") }
      }
    }
  }

  @Test(arguments: [40, 41, 80, 200])
  func `a chart fits the width for any number of values`(width: Int) throws {
    for count in [1, 2, 3, 30, 182, 7000] {
      let values = (0..<count).map { place -> Double? in place % 3 == 2 ? nil : Double(place % 7) }
      let scale = try #require(ChartScale(values.compactMap(\.self), fromZero: true))
      let chart = LineChart(
        dots: values, line: values.map { $0.map { $0 / 2 } }, scale: scale,
        names: stride(from: 0, to: count, by: 30).map { ($0, "Jan") }, label: { $0.shortText(decimals: 1) })
      for isUnicode in [true, false] {
        let lines = chart.lines(for: Terminal(width: width, showsUnicode: isUnicode))
        #expect(lines.count == 13)
        #expect(lines.allSatisfy { $0.columns <= width })
        #expect(isUnicode || lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
      }
    }
  }

  @Test func `the highest dot is in the first row, the lowest in the last, and the line in between`() throws {
    let scale = try #require(ChartScale([0, 10], fromZero: true))
    let chart = LineChart(
      dots: [0, nil, 10], line: [nil, 5, 5], scale: scale, names: [(0, "Oct"), (1, "Nov")],
      label: { $0.shortText(decimals: 0) })
    let lines = chart.lines(for: Terminal(width: 40, showsUnicode: false))
    #expect(lines.first == "  10                        *")
    #expect(lines[11] == "   0 *")
    #expect(lines[5] == "                 ************" || lines[6] == "                 ************", "\(lines)")
    #expect(lines.last == "     Oct        Nov")
  }
}
