package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
)

// reduce cuts a PNG to its part and leaves it the 256 colours that it has most of; others become the nearest of them.
func reduce(data []byte, part image.Rectangle) ([]byte, error) {
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	part = part.Intersect(picture.Bounds())
	count := map[color.RGBA]int{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			count[color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(len(colours), 256)] {
		palette = append(palette, c)
	}
	small := image.NewPaletted(part, palette)
	draw.Draw(small, part, picture, part.Min, draw.Src)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, small)
	return out.Bytes(), err
}
