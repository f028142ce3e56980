// Defined in TrendyModels, so that tests of the packages below this one can use it.
@_exported public import struct TrendyModels.SeededGenerator
