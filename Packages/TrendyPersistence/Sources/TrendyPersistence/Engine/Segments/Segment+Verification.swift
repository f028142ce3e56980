extension Segment {
  /// Verifies every page, then compares every index with the rows.
  /// - Returns: one finding if any pages are damaged, or else one finding per kind of fault, with the first affected
  ///   row and the number of rows.
  func findings() -> [StoreIssue] {
    let damaged = damagedPages()
    guard damaged.isEmpty else {
      let lost = wholeRecords().lost
      let what =
        lost.isEmpty
        ? "an index is damaged; all rows are intact"
        : "\(damaged.count) of \(footer.pageCount) pages are damaged, with \(lost.count) of \(footer.rowCount) rows"
      return [
        StoreIssue(
          kind: .damage, path: path, offset: damaged[0] << SegmentFooter.pageShift, what: what,
          advice: StoreIssue.repairAdvice)
      ]
    }
    var faults = Faults(path: path)
    do throws(StorageError) {
      try checkRows(&faults)
    } catch {
      // The pages are intact but contain an invalid offset, so they were written with it.
      guard case .damaged(_, let offset) = error else { return [] }
      faults.note("an offset points outside the file", at: offset)
    }
    return faults.findings
  }

  private func damagedPages() -> [Int] {
    (0..<footer.pageCount).filter { page in
      do throws(StorageError) {
        try checkPage(page)
        return false
      } catch {
        return true
      }
    }
  }

  /// Returns all rows in intact pages, and for each other row the details that intact pages still contain.
  func wholeRecords() -> (records: [(row: Int, record: UnsafeRawPointer)], lost: [LostRow]) {
    var found: [(row: Int, record: UnsafeRawPointer)] = []
    var lost: [LostRow] = []
    for row in 0..<footer.rowCount {
      do throws(StorageError) {
        found.append((row, try record(row)))
      } catch {
        lost.append(lostRow(row))
      }
    }
    return (found, lost)
  }

  /// Returns what intact pages still contain about a damaged row.
  private func lostRow(_ row: Int) -> LostRow {
    let kind = footer.kinds.first { row >= $0.first && row - $0.first < $0.count }
    var lost = LostRow(kind: kind?.kind ?? 0, key: nil, sort: try? sort(row))  // its page may be damaged too
    if let kind {
      let run = try? run(kind: kind.kind, group: nil)  // may be damaged too
      lost.sort = run?.days.start(ofDayWith: row - kind.first)
    }
    let place = footer.offsetsAt + row * 4
    if (try? check(place, 4)) != nil {  // may be damaged too
      let offset = Int(half(mapping.bytes.baseAddress!, place)) * 8
      let isInside = offset >= SegmentFooter.headerBytes && offset + RowLayout.headerBytes <= footer.rowsEnd
      if isInside, (try? check(offset, RowLayout.headerBytes)) != nil {  // may be damaged too
        lost.key = RowLayout.key(mapping.bytes.baseAddress! + offset)
        lost.sort = RowLayout.sort(mapping.bytes.baseAddress! + offset)
      }
    }
    return lost
  }

  private func checkRows(_ faults: inout Faults) throws(StorageError) {
    var previous: UnsafeRawPointer?
    var kindIndex = 0
    var groups: [GroupName: (run: Run, count: Int)] = [:]
    for row in 0..<footer.rowCount {
      let record = try record(row)
      let kind = RowLayout.kind(record)
      let group = RowLayout.group(record)
      if let previous, !ScanOrder.isBelowInSegment(previous, record) { faults.note("rows are out of order", at: row) }
      previous = record
      while kindIndex < footer.kinds.count, row >= footer.kinds[kindIndex].first + footer.kinds[kindIndex].count {
        kindIndex += 1
      }
      if kindIndex >= footer.kinds.count || footer.kinds[kindIndex].kind != kind
        || row < footer.kinds[kindIndex].first
      {
        faults.note("the kind list points to a row of another kind", at: row)
      } else if !(footer.kinds[kindIndex].least...max(footer.kinds[kindIndex].least, footer.kinds[kindIndex].greatest))
        .contains(RowLayout.sort(record))
      {
        faults.note("a sort value is outside the range of its kind", at: row)
      }
      if try sort(row) != RowLayout.sort(record) {
        faults.note("a sort value differs from the one in its row", at: row)
      }
      if try find(kind: kind, key: RowLayout.key(record)) != record {
        faults.note("a row is missing from the hash index", at: row)
      }
      guard group != 0 else { continue }
      let name = GroupName(kind: kind, group: group)
      if groups[name] == nil, let run = try run(kind: kind, group: group) { groups[name] = (run, 0) }
      guard let entry = groups[name], entry.count < entry.run.count, try self.row(entry.count, of: entry.run) == row
      else {
        faults.note("a group list omits a row", at: row)
        continue
      }
      groups[name]?.count += 1
    }
    if let last = footer.kinds.last, last.first + last.count != footer.rowCount {
      faults.note("the kind list extends past the last row", at: footer.rowCount)
    }
    for (_, entry) in groups where entry.count != entry.run.count {
      faults.note("a group list has too many rows", at: 0)
    }
    // Each kind has two additional entries: its day index and its key order.
    let entries = groups.count + 2 * footer.kinds.count
    let listed = groups.values.reduce(footer.rowCount) { $0 + $1.run.count }
    if entries != footer.groupCount || listed != footer.listCount {
      faults.note("a group list has no rows", at: 0)
    }
    for kind in footer.kinds {
      if let run = try run(kind: kind.kind, group: nil), try !daysFit(run) {
        faults.note("the day index of a kind does not match its rows", at: kind.first)
      }
    }
    for kind in footer.kinds where try !keysFit(kind) {
      faults.note("the key index of a kind does not match its rows", at: kind.first)
    }
    for (_, entry) in groups {
      if try !daysFit(entry.run) { faults.note("the day index of a group does not match its rows", at: 0) }
    }
  }

  /// Collects faults. A fault can occur in thousands of rows, so only the first row and the number of rows are
  /// reported.
  private struct Faults {
    let path: String
    private var counts: [String: (first: Int, count: Int)] = [:]

    init(path: String) { self.path = path }

    mutating func note(_ what: String, at row: Int) {
      counts[what, default: (row, 0)].count += 1
    }

    var findings: [StoreIssue] {
      counts.sorted { ($0.value.first, $0.key) < ($1.value.first, $1.key) }.map { what, fault in
        let more = fault.count > 1 ? ", and \(fault.count - 1) more" : ""
        return StoreIssue(
          kind: .index, path: path, what: "\(what) (row \(fault.first)\(more))", advice: StoreIssue.repairAdvice)
      }
    }
  }
}
