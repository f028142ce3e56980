struct RowSet {
  private var words: [UInt64] = []

  mutating func insert(_ row: Int) {
    while row >> 6 >= words.count { words.append(0) }
    words[row >> 6] |= 1 << UInt64(row & 63)
  }

  func contains(_ row: Int) -> Bool { row >> 6 < words.count && words[row >> 6] >> UInt64(row & 63) & 1 != 0 }
}
