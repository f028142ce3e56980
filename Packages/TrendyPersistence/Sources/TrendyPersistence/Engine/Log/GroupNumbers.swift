/// A group of a kind.
struct GroupName: Hashable, Comparable {
  var kind: UInt8
  var group: UInt64

  static func < (left: GroupName, right: GroupName) -> Bool { (left.kind, left.group) < (right.kind, right.group) }
}

/// Numbers groups from 1 on, in the order in which they are asked for.
///
/// An open-addressing table by the group itself, which is a hash already: of a queue each mutation is a group of its own, and a
/// dictionary hashes every name a second time. To have the type of one made by the runtime also takes a twentieth of a short command.
final class GroupNumbers {
  private(set) var names: [GroupName] = []
  /// A number where the bits of its name say, or in the next slot that is free; 0 where there is none. A power of two.
  private var slots = Column<UInt32>(zeros: 256)

  /// That of a group; `nil` where it has none.
  func find(_ name: GroupName) -> UInt32? {
    let number = slots[slot(of: name)]
    return number == 0 ? nil : number
  }

  /// That of a group, which is given one if it has none.
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

  /// Where its number is, or belongs.
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
