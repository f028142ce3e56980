import Testing
import StorageTesting
@Test func `a disk starts empty`() { #expect(SimulatedFileSystem().files.isEmpty) }
