import StoreBenchmark
import Testing
import TrendyFoundation
import TrendyModels

@Suite("BenchmarkRows", .timeLimit(.minutes(10)))
struct BenchmarkRowsTests {
  /// Output of the C program that measures other engines, for six rows.
  static let printed = [
    "01856aa0-c800-7d3c-bf9b-63dbefc71284\t018c2bb2-7a40-7000-8000-000000000013\t1760138993357\t"
      + "hfiiouzbatihkzayadjlgbsqavhanx sixsxfgximoljp axqwjlgvivoiwcixuebitdnsrk ocevr adqcirs\t0\t0\tmanual\t0\t0\t"
      + #"{"mood":1,"weight_kg":85.7,"place":"1d709678","energy":"high","steps":971}"# + "\tsynced",
    "01891679-5e00-70e9-bc2c-b94aa6521bb5\t018c2bb2-7a40-7000-8000-000000000007\t1688298924132\t"
      + " itezffxotgpiehipkcoegwensdvxzofzepnpnpiajvlcrhtzmugyqioanosiism\t0\t0\tmanual\t0\t0\t"
      + #"{"mood":7,"weight_kg":92.8,"place":"2597871e","energy":"high","steps":4729}"# + "\tsynced",
    "018cc251-f400-7920-987b-e8a9f4befbdd\t018c2bb2-7a40-7000-8000-000000000005\t1704067150142\t"
      + "xxtcpucqizyieirbknafteohochk\t0\t0\timported\t57.429966730756746\t-48.785376852472098\t"
      + #"{"mood":8,"weight_kg":93.7,"place":"5a2488ad","energy":"low","steps":13630}"# + "\tsynced",
    "01906e2a-8a00-7e93-93e6-3d62998a0dbe\t018c2bb2-7a40-7000-8000-000000000005\t1719835093732\t"
      + "nvawoatmvjpupawrcqqonsqhncfnowhqdeetdwamukizkhudhvtkhalkojyjeczkqgnetcacaeciwljzstgk\t0\t0\timported\t"
      + "-5.7146535068872879\t39.049823237019581\t"
      + #"{"mood":9,"weight_kg":71.3,"place":"a6e0cc1f","energy":"medium","steps":4922}"# + "\tpending",
    "01941a03-2000-7478-80a4-9a34d8642010\t018c2bb2-7a40-7000-8000-00000000000a\t1735602953837\t"
      + "bvpxegobixullqvqtzyecckyiheihywehmwvlpaxesk xexruglb\t0\t1735606493837\timported\t0\t0\t"
      + #"{"mood":8,"weight_kg":91.7,"place":"eae50a04","energy":"medium","steps":6139}"# + "\tsynced",
    "0197c5db-b600-70cf-943e-6686dbde0152\t018c2bb2-7a40-7000-8000-000000000008\t1751371006109\t"
      + "ydhlderntybtfyxngckeowcwzeaxjti ntehrtjhoptfaijtunvfpftufihnaiopibw hsmszttip piv\t0\t0\timported\t0\t0\t"
      + #"{"mood":9,"weight_kg":68.4,"place":"5d68ee57","energy":"medium","steps":8976}"# + "\tsynced",
  ]

  @Test("a row has the same bytes as that of the C program", arguments: zip(0..<6, Self.printed))
  func makesTheSameRows(index: Int, line: String) {
    #expect(StoreBenchmark.line(BenchmarkRows(count: 6).event(index)) == line)
  }

  @Test func `the computed length of the properties equals the length of their text`() throws {
    let rows = BenchmarkRows(count: 5000)
    var lengths: Set<Int> = []
    for index in 0..<5000 {
      var event = rows.event(index)
      let length = RowCheck.propertiesText(event).utf8.count
      let all = RowCheck.value(event)
      event.properties = [:]
      #expect(all &- RowCheck.value(event) == UInt64((length - 2) * 5), "row \(index)")
      lengths.insert(length)
    }
    #expect(lengths.count > 4)
  }

  @Test("the checksum depends on every column", arguments: 0..<8)
  func checkSeesEachColumn(column: Int) {
    let event = BenchmarkRows(count: 6).event(3)
    var other = event
    switch column {
    case 0: other.timestamp.addTimeInterval(0.001)
    case 1: other.notes? += "x"
    case 2: other.properties["steps"] = PropertyValue(type: .number, value: 50_000)
    case 3: other.isAllDay.toggle()
    case 4: other.endDate = other.timestamp
    case 5: other.sourceType = .manual
    case 6: other.syncStatus = .synced
    default: other.locationLatitude? += 1
    }
    #expect(RowCheck.value(other) != RowCheck.value(event))
  }

  @Test func `coordinates are truncated to thousandths of a degree`() {
    var event = BenchmarkRows(count: 6).event(3)
    event.locationLatitude = nil
    let without = RowCheck.value(event)
    event.locationLatitude = -5.7146
    #expect(Int64(bitPattern: RowCheck.value(event) &- without) == -5714)
  }

  @Test func `rows beyond the count follow the same rule`() {
    let rows = BenchmarkRows(count: 6)
    #expect(BenchmarkRows.millis(rows.event(6).timestamp) > BenchmarkRows.start)
    #expect(rows.event(6).id.hasPrefix("019b71b4-4c00-7"))  // 2025-12-31, the end of the span
  }
}
