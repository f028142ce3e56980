struct GroupName: Hashable, Comparable {
  var kind: UInt8
  var group: UInt64

  static func < (left: GroupName, right: GroupName) -> Bool { (left.kind, left.group) < (right.kind, right.group) }
}

/// Numbers groups consecutively from 1 in the order they are first requested.
///
/// Uses an open-addressing table indexed by the group key, which is already a hash. A dictionary would hash every key
/// again, and instantiating its generic type would make a short command 5 % slower.
final class GroupNumbers {
  private(set) var names: [GroupName] = []
  /// Group numbers, with 0 in free slots. The number of slots is a power of two.
  private var slots = Column<UInt32>(zeros: 256)

  func find(_ name: GroupName) -> UInt32? {
    let number = slots[slot(of: name)]
    return number == 0 ? nil : number
  }

  func number(of name: GroupName) -> UInt32 {
    var slot = slot(of: name)
    if slots[slot] != 0 { return slots[slot] }
    if names.count * 2 >= slots.count {
      grow()
      slot = self.slot(of: name)
    }
    names.append(name)
    slots[slot] = UInt32(names.count)
    return slots[slot]
  }

  private func slot(of name: GroupName) -> Int {
    let mask = slots.count - 1
    let mixed = (name.group ^ UInt64(name.kind)) &* 0x9E37_79B1_85EB_CA87
    var slot = Int(truncatingIfNeeded: mixed &>> 32) & mask
    while slots[slot] != 0, names[Int(slots[slot]) - 1] != name { slot = (slot + 1) & mask }
    return slot
  }

  private func grow() {
    slots = Column(zeros: slots.count * 4)
    for (index, name) in names.enumerated() { slots[slot(of: name)] = UInt32(index + 1) }
  }
}
