/// Identity of a group: its kind and group key.
struct GroupName: Hashable, Comparable {
  var kind: UInt8
  var group: UInt64

  static func < (left: GroupName, right: GroupName) -> Bool { (left.kind, left.group) < (right.kind, right.group) }
}

/// Assigns consecutive numbers, starting with 1, to groups in the order in which they are first requested.
///
/// Uses an open-addressing table indexed by the group key, which is already a hash. In a mutation queue each entity is
/// a group, and a dictionary would hash every key again. Avoiding a generic dictionary also makes a short command 5 %
/// faster, because the runtime need not instantiate its type.
final class GroupNumbers {
  private(set) var names: [GroupName] = []
  /// Open-addressing table of group numbers, indexed by a hash of the group. 0 marks a free slot. The size is a power
  /// of two.
  private var slots = Column<UInt32>(zeros: 256)

  /// Returns the number of a group, or `nil` if it has none.
  func find(_ name: GroupName) -> UInt32? {
    let number = slots[slot(of: name)]
    return number == 0 ? nil : number
  }

  /// Returns the number of a group. Assigns one if it has none.
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

  /// Returns the slot that contains the group's number, or the free slot for it.
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
